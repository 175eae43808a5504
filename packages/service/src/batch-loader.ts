export { BatchLoader } from './batching.ts'
