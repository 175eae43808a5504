export { Departures, type Gathering } from './batching.ts'
