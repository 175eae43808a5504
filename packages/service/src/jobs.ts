export type { Job } from './schedule.ts'
