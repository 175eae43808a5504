import { mount } from '../../mount.tsx'
import { PATHS } from '../../parts/shell.tsx'
import { liffTarget } from './liff.ts'
import { HomePage } from './page.tsx'

const next = liffTarget(location.search, Object.values(PATHS))
if (next === null) mount(HomePage)
else location.replace(next)
