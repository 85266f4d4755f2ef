export { createAggregator } from './metrics/aggregator.ts';
