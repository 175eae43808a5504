export { BatchLoader as PacedLoader } from './batching.ts'
