import { droppedLines } from '@gateway/log/log';
import { getHeapStatistics } from 'node:v8';
import type { Recorder } from '../recorder.ts';
import { observeEventLoop } from './event-loop.ts';
import { recordGarbageCollection } from './garbage-collection.ts';

/**
 * The process itself.
 *
 * @returns stops
 */
export function recordRuntime(recorder: Recorder): () => void {
  const { observe } = recorder;
  observe('log_lines_dropped_total', droppedLines);
  observe('process_start_time_seconds', () => performance.timeOrigin / 1000);
  observe('process_resident_memory_bytes', () => process.memoryUsage.rss());
  observe('v8js_memory_heap_used_bytes', () => getHeapStatistics().used_heap_size);
  observe('v8js_memory_heap_limit_bytes', () => getHeapStatistics().heap_size_limit);
  observe('process_cpu_seconds_total', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  const stopEventLoop = observeEventLoop(recorder);
  const stopGarbageCollection = recordGarbageCollection(recorder);
  return () => {
    stopEventLoop();
    stopGarbageCollection();
  };
}
