import { beforeAll, describe, expect, test } from 'vitest';
import { keptForFile } from '../support/clean-up.ts';
import { bootMachine, documented, type Machine } from './support/systemd-machine.ts';

const OPERATIONS = 'docs/operations.md';
const IN_CURRENT = 'cd /opt/animal-store-gateway/current\n';
const LOAD_ENVIRONMENT =
  'set -a; DATA_DIR=/var/lib/animal-store; . /etc/animal-store-gateway.env; set +a\n';
/** Long enough to write a new PostgreSQL cluster to a slow disk. */
const NEW_CLUSTER = { timeout: 60_000 };
const unitOf = (instance: number | string) => `animal-store-gateway@${instance}`;

/** Shell commands that fail in the sandbox and work outside of it. */
const KEPT = {
  'write outside its folder': 'touch /srv/for-all/file',
  'see the temporary files of others': 'test -e /tmp/of-others',
  'see home folders': 'ls /home/someone',
  'see processes of others': 'ls /proc/1/',
  'make namespaces': 'unshare --user true',
  'make set-user-ID files':
    'cp /bin/true /var/lib/animal-store/file && chmod u+s /var/lib/animal-store/file',
  'change its execution domain': 'setarch --addr-no-randomize true',
  'open sockets of other families': `perl -e 'socket(S, 16, 3, 0) or exit 1'`,
  // The system call ptrace, with PTRACE_TRACEME.
  'be traced': `perl -e 'exit(syscall(${process.arch === 'x64' ? 101 : 117}, 0, 0, 0, 0) == 0 ? 0 : 1)'`,
} as const;
const ATTEMPTS = Object.entries(KEPT)
  .map(([what, command]) => `(${command}) > /dev/null 2>&1 && echo '${what}'`)
  .join('\n');

let machine: Machine;

const run = (script: string) => machine.run(script);
const isReady = (port: number) => run(`curl -s http://127.0.0.1:${port}/readyz`).catch(String);
const property = async (instance: number | string, name: string) =>
  (await run(`systemctl show --property=${name} --value '${unitOf(instance)}'`)).trim();
const logOf = (instance: number | string) =>
  run(`journalctl --unit='${unitOf(instance)}' --output=cat`);
const createKey = async () =>
  (await run(`${IN_CURRENT}${LOAD_ENVIRONMENT}npm run --silent keys -- create test`)).trim();

beforeAll(async () => {
  machine = keptForFile(await bootMachine());
  const database = await documented('docs/postgresql.md', 'CREATE ROLE animal_store LOGIN');
  await run(`su postgres -c psql <<'END'\n${database}\nEND`);
  await run(IN_CURRENT + (await documented(OPERATIONS, 'useradd')));
}, 600_000);

describe('with an external PostgreSQL', () => {
  test('the documented commands create a key and start two systemd instances', async () => {
    const key = await run(IN_CURRENT + (await documented(OPERATIONS, 'keys -- create me')));
    expect(key).toMatch(/^asg_\w+\n$/);
    const start = await documented(OPERATIONS, 'systemctl enable --now');
    await run(start.replace(/^journalctl .*--?f.*$/m, ''));
    await expect.poll(() => isReady(4001)).toBe('ready\n');
    await expect.poll(() => isReady(4002)).toBe('ready\n');
    const command = `curl -s -H 'Authorization: Bearer ${key.trim()}' http://127.0.0.1:4002/v1/pets`;
    expect(await run(command)).toBe('[]');
    expect(await run('curl -s http://127.0.0.1:9465/metrics')).toContain('animal_store_ready');
    // A key existed before the first start, so the journal contains none.
    expect(await logOf('*')).not.toContain('asg_');
  });

  test('systemd accepts the unit and rates its exposure at 1.5 or less', async () => {
    const verified = await run(`systemd-analyze verify '${unitOf(4001)}.service' 2>&1`);
    expect(verified).toBe('');
    await run(`systemd-analyze security --no-pager --threshold=15 '${unitOf(4001)}'`);
  });

  test('systemd restarts an instance that is killed', async () => {
    const before = await property(4001, 'MainPID');
    const restarts = Number(await property(4001, 'NRestarts'));
    await run(`systemctl kill --kill-whom=main --signal=KILL '${unitOf(4001)}'`);
    await expect.poll(() => property(4001, 'NRestarts')).toBe(String(restarts + 1));
    await expect.poll(() => isReady(4001)).toBe('ready\n');
    expect(await property(4001, 'MainPID')).not.toBe(before);
  });

  test('systemctl stop waits for a create that is in flight', async () => {
    const key = await createKey();
    const body = '{"name":"Rex","categoryId":1}';
    const response = await run(`
      exec 3<>/dev/tcp/127.0.0.1/4001
      printf '%s\\r\\n' 'POST /v1/pets HTTP/1.1' 'Host: shop' 'Authorization: Bearer ${key}' \\
        'Content-Type: application/json' 'Content-Length: ${body.length}' 'Expect: 100-continue' '' >&3
      read -r continue <&3
      systemctl stop --no-block '${unitOf(4001)}'
      until journalctl --unit='${unitOf(4001)}' --output=cat | grep -q '"msg":"stopping"'; do :; done
      printf '%s' '${body}' >&3
      cat <&3`);
    expect(response).toContain('HTTP/1.1 201 Created');
    await expect.poll(() => property(4001, 'ActiveState')).toBe('inactive');
    expect(await property(4001, 'Result')).toBe('success');
    await run(`systemctl start '${unitOf(4001)}'`);
    await expect.poll(() => isReady(4001)).toBe('ready\n');
  });

  test('the documented restart replaces one instance after the other', async () => {
    const before = await property(4002, 'MainPID');
    await run(await documented(OPERATIONS, 'systemctl restart'));
    expect(await property(4002, 'MainPID')).not.toBe(before);
    await expect.poll(() => isReady(4002)).toBe('ready\n');
  });

  test('systemctl reload replaces all workers while the instance stays ready', async () => {
    await run(`
      echo WORKERS=2 >> /etc/animal-store-gateway-4002.env
      systemctl restart '${unitOf(4002)}'`);
    const supervisor = await property(4002, 'MainPID');
    // Wait until all workers serve, because a worker that is still starting is not replaced.
    await expect
      .poll(() => run(`journalctl _PID=${supervisor} --output=cat`))
      .toContain('"msg":"listening"');
    const workers = async () =>
      (await run(`cat /proc/${supervisor}/task/*/children`)).split(/\s+/).filter(Boolean);
    const before = new Set(await workers());
    expect(before.size).toBe(2);
    await run(`systemctl reload '${unitOf(4002)}'`);
    const left = async () => (await workers()).filter((worker) => before.has(worker));
    await expect.poll(left, { timeout: 60_000 }).toEqual([]);
    expect(await isReady(4002)).toBe('ready\n');
    expect(await property(4002, 'MainPID')).toBe(supervisor);
  });

  test('systemd restarts an instance with MIGRATE=off until its database is migrated', async () => {
    const url = 'postgresql://animal_store:change-me@localhost/later';
    await run(`
      su postgres -c 'createdb --owner=animal_store later'
      printf '%s\\n' MIGRATE=off 'DATABASE_URL=${url}' > /etc/animal-store-gateway-4003.env
      systemctl start '${unitOf(4003)}'`);
    await expect.poll(async () => Number(await property(4003, 'NRestarts'))).toBeGreaterThan(1);
    expect(await isReady(4003)).not.toBe('ready\n');
    await run(`${IN_CURRENT}DATABASE_URL='${url}' npm run --silent migrate`);
    await expect.poll(() => isReady(4003)).toBe('ready\n');
    await run(`systemctl stop '${unitOf(4003)}'`);
  });
});

test('an instance runs as its own user, without privileges and with a system call filter', async () => {
  const user = (await run('id --user animal-store')).trim();
  const status = await run(`cat /proc/${await property(4001, 'MainPID')}/status`);
  expect(status).toMatch(new RegExp(`^Uid:\\t${Array(4).fill(user).join('\\t')}$`, 'm'));
  expect(status).toMatch(/^CapBnd:\t0+$/m);
  expect(status).toMatch(/^NoNewPrivs:\t1$/m);
  expect(status).toMatch(/^Seccomp:\t2$/m);
});

test('the systemd sandbox denies actions that the service does not need', async () => {
  const runAttempts =
    "'[Service]' Type=oneshot Restart=no ExecStart= 'ExecStart=bash /srv/attempts.sh'";
  await run(`
    install -d -m 777 /srv/for-all && install -d /home/someone && touch /tmp/of-others
    cat > /srv/attempts.sh <<'END'
${ATTEMPTS}
touch /var/lib/animal-store/own && echo 'write in its folder'
END
    cd /run/systemd/system && mkdir '${unitOf('probe')}.service.d'
    printf '%s\\n' ${runAttempts} > '${unitOf('probe')}.service.d/probe.conf'
    printf '%s\\n' ${runAttempts} User=animal-store > free.service
    systemctl daemon-reload && systemctl start free.service '${unitOf('probe')}.service'`);
  const printed = async (unit: string) =>
    (await run(`journalctl --unit='${unit}' --identifier=bash --output=cat`)).trim().split('\n');
  // Lines may reach the journal shortly after their process has ended, in their original order.
  await expect
    .poll(() => printed('free.service'))
    .toEqual([...Object.keys(KEPT), 'write in its folder']);
  await expect.poll(() => printed(unitOf('probe'))).toEqual(['write in its folder']);
});

test('the embedded PostgreSQL starts, recovers and stops together with its only instance', async () => {
  await run(`
    systemctl stop 'animal-store-gateway@*'
    sed -i /^DATABASE_URL=/d /etc/animal-store-gateway.env
    systemctl start '${unitOf(4001)}'`);
  await expect.poll(() => isReady(4001), NEW_CLUSTER).toBe('ready\n');
  await expect.poll(() => logOf(4001)).toMatch(/^ {2}API_KEY=asg_\w+$/m);
  const request = `curl -s -H 'Authorization: Bearer ${await createKey()}' http://127.0.0.1:4001/v1/pets`;
  const create = `${request} -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":1}'`;
  const created = await run(create);
  expect(created).toContain('"id":1');

  await run(`systemctl kill --kill-whom=main --signal=KILL '${unitOf(4001)}'`);
  await expect.poll(() => run(request).catch(String)).toBe(`[${created}]`);

  await run(`systemctl stop '${unitOf(4001)}'`);
  expect(await property(4001, 'Result')).toBe('success');
  expect(await run('find /proc -ignore_readdir_race -maxdepth 1 -user animal-store')).toBe('');
});
