import { webStack } from './web-stack.ts'

/** One stack for the cases of me.test.ts, whose API asks for a session. */
export const web = webStack({ USER_AUTH: 'session' })
