import { commandFor, typedPath } from '@palanquin/stack/command-text'
import { seconds } from '@palanquin/stack/progress'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import type { Home } from '@palanquin/stack/run-state/home'
import type { RunFile } from '@palanquin/stack/run-state/run-file'
import { brandOf, readSettings, type Settings, tokenVariables } from '@palanquin/stack/settings/settings'

/** What a user sees once everything runs: where it is, and what to try next. */
export function welcome(
  home: Home,
  run: RunFile,
  { tookMs, detached }: { tookMs: number; detached: boolean },
): string {
  const settings = readSettings(PROJECT_ROOT, process.env)
  const api = `${run.url}/api/${brandOf(settings)}`
  const curl = run.url.startsWith('https')
    ? `curl --cacert ${typedPath(run.caFile)}`
    : "curl -H 'x-forwarded-proto: https'"
  const body = `'{"userId":"me","lat":24.3457,"lng":120.6238}'`
  return `
Palanquin runs at ${run.url} (up in ${seconds(tookMs)})
${settings.WEB === 'off' ? '' : `\n  ${run.url}/map       the map (a browser warns once of the certificate, which is this machine's own)\n`}
  A first check-in:
    ${curl} ${api}/checkin -H 'content-type: application/json' -d ${body}
  Its result:
    ${curl} ${api}/user/me
  As an administrator (three tokens in ${typedPath(home.tokensFile)}):
    . ${typedPath(home.tokensFile)}; ${curl} ${api}/auth/role -H "x-admin-token: $${tokenVariables(settings).owner}"

  ${run.url}/docs      every endpoint, to read and try
  ${run.url}/health    the state of the stores and the last flush
${run.line.stubUrl ? `  ${run.line.stubUrl}    LINE (stub): a page to follow the bot and chat with it\n` : ''}  ${commandFor(home, 'demo')}     replays a pilgrimage of 200 participants
  ${commandFor(home, 'logs -f')}  follows the logs of the services

${isOpen(settings) ? OPEN : ''}${detached ? `It keeps running in the background; ${commandFor(home, 'down')} stops it.` : 'Ctrl-C stops all of it.'}`
}

/** Web face, section 2: without sessions or ID tokens anyone may write in a user's name. */
const isOpen = ({ USER_AUTH = 'off' }: Settings): boolean => USER_AUTH === 'off'
const OPEN =
  'USER_AUTH=off: anyone who knows a userId, which the card address /og/{userId}.png contains, may write in its name (docs/security.md).\n'
