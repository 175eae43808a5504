import { join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { referencePages } from './reference.ts'

/** Writes docs/reference: what follows from the code and .env.example. */
for (const [file, text] of await referencePages()) await Bun.write(join(PROJECT_ROOT, file), text)
