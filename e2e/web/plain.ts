import { webStack } from './web-stack.ts'

/** One stack for the cases of journeys.test.ts, as it comes up for the first time. */
export const web = webStack()
