import { appointPalanquin, DAJIA, palanquinAt, publishGuide } from './seed.ts'
import { webStack } from './web-stack.ts'

/** One stack for the cases of guided.test.ts: a palanquin at Dajia, places, notices, a route. */
export const web = webStack({}, async (web) => {
  await appointPalanquin(web.stack)
  await palanquinAt(web.stack, DAJIA)
  await publishGuide(web.stack)
})
