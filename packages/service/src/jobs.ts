export { type Job, schedule as jobs } from './schedule.ts'
