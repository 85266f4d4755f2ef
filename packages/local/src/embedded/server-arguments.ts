import type { Cluster } from './cluster.ts';
import { socketPort } from './socket-directory.ts';

/**
 * Before recovery PostgreSQL syncs each of a cluster's 1,000 files, which on a busy machine takes most of the time for
 * which a killed server is away: 2.7 s, against 0.7 s for a sync of the file system, which only Linux has.
 */
const RECOVERY_ON_LINUX = { recovery_init_sync_method: 'syncfs' };

/**
 * A server ends when one of its processes crashes, and its members start another. Left to restart by itself while clients
 * connect, PostgreSQL 18.4 may wait for ever for a recovery that has failed because the disk is full: in 13 of 40 attempts.
 */
const END_AFTER_CRASH = { restart_after_crash: 'off' };

/**
 * The arguments of `postgres`. Settings are given here rather than in postgresql.conf: they hold for clusters of earlier
 * versions too, and no edit opens the server to a network.
 */
export function serverArguments({ directory, socketDirectory }: Cluster): string[] {
  const settings = {
    listen_addresses: '',
    port: socketPort,
    // A list, in which a quoted element may have commas and spaces.
    unix_socket_directories: `"${socketDirectory.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    // A week of logs that overwrite themselves.
    logging_collector: 'on',
    log_destination: 'stderr',
    log_directory: '../log',
    log_filename: 'server-%a.log',
    log_rotation_age: '1d',
    log_rotation_size: '0',
    log_truncate_on_rotation: 'on',
    ...END_AFTER_CRASH,
    ...(process.platform === 'linux' && RECOVERY_ON_LINUX),
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', directory, ...options];
}
