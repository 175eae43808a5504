import { isLiffPage } from '../../line/liff.ts'
import { mount } from '../../mount.tsx'
import { PATHS } from '../../parts/shell.tsx'
import { liffTarget } from './liff.ts'
import { HomePage } from './page.tsx'

/** Inside LINE its script comes first, and then the page that was asked for (web face, section 1). */
async function goOn(): Promise<void> {
  const { signInInsideLine } = await import('../../session/line.ts')
  await signInInsideLine()
  const next = targetOf()
  if (next !== null) location.replace(next)
}
const targetOf = () => liffTarget(location.search, Object.values(PATHS))

if (isLiffPage()) {
  mount(HomePage)
  void goOn()
} else {
  const next = targetOf()
  if (next === null) mount(HomePage)
  else location.replace(next)
}
