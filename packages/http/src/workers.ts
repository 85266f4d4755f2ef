export { createSupervisor, type Supervisor } from './workers/supervisor.ts';
export { joinSupervisor } from './workers/worker.ts';
