import type { CredentialTags } from '@palanquin/service/credential-tags'
import type { Log } from '@palanquin/service/log'
import type { Part } from '@palanquin/service/run'
import { schedule } from '@palanquin/service/schedule'
import { adminSession } from '../auth/admin-session.ts'
import { adminAuthenticator, adminTokenJudge } from '../auth/admin-token.ts'
import { deviceTokenJudge } from '../auth/device-owner.ts'
import { idTokenJudge } from '../auth/id-token.ts'
import { lineCodeJudge } from '../auth/line-code.ts'
import { LineLogin } from '../auth/line-login.ts'
import { recogniser } from '../auth/recognise.ts'
import { userAuthenticator } from '../auth/user.ts'
import { idTokenVerifier, type Verifier } from '../auth/verifier.ts'
import type { Config } from '../config.ts'
import { clientOf } from '../proxy/client.ts'
import type { Service } from '../proxy/service.ts'
import type { RateLimit } from '../rate-limit/rate-limit.ts'
import { sessionHandler } from './handler.ts'
import { linkDevice } from './link-device.ts'
import { ownOriginCheck } from './own-origin.ts'
import { presentSession } from './present-session.ts'
import { adminKeyOf } from './secrets.ts'
import { sessionService } from './session-service.ts'
import { Sessions } from './sessions.ts'
import { signIn } from './sign-in.ts'

/** Two of these within the second after which a session that was ended is refused everywhere. */
const FOLLOW_EVERY_MS = 400

type Dependencies = {
  config: Config
  limits: RateLimit
  tags: CredentialTags
  service: Service
  tracking: Service
  log: Log
}

/** Everything that finds out who calls: admin tokens, ID tokens of LINE, and sessions. */
export function assembleAuth({ config, limits, tags, service: engagement, tracking, log }: Dependencies) {
  const { tokens, publicHosts, PUBLIC_BASE_URL: baseUrl } = config
  const adminKeys = new Set(Object.values(tokens).flat().map(adminKeyOf))
  const { INTERNAL_TOKEN: internalToken } = config
  const service = sessionService({
    client: clientOf({ name: 'engagement', service: engagement, internalToken, waitForRestart: true }),
    isAdminKey: (key) => adminKeys.has(key),
  })
  const sessions = new Sessions({ service, log })
  const present = presentSession({ sessions, limits, tags })
  const isOwnOrigin = ownOriginCheck({ publicHosts, baseUrl })
  const line = lineOf(config, log)
  const idToken = line ? idTokenJudge({ verifier: line.verifier, limits }) : undefined
  const secret = config.LINE_LOGIN_CHANNEL_SECRET
  const lineCode =
    line && idToken && secret !== undefined
      ? lineCodeJudge({ line: line.login, secret, baseUrl, isOwnOrigin, judge: idToken, limits })
      : undefined
  const adminToken = adminTokenJudge({ tokens, limits })
  const judges = { idToken, lineCode, adminToken }
  const recognise = recogniser({
    line: line && idToken ? { judge: idToken, verifier: line.verifier } : undefined,
    sessions,
    present,
  })
  const parts = { service, judges, limits, tags }
  const following: Part = {
    ...schedule(log, [{ name: 'changed sessions', everyMs: FOLLOW_EVERY_MS, run: () => sessions.follow() }]),
    name: 'sessions',
  }
  return {
    sessions,
    recognise,
    following,
    verifier: line?.verifier,
    handle: sessionHandler({
      sessions,
      service,
      present,
      isOwnOrigin,
      tags,
      signIn: signIn(parts),
      linkDevice: linkDevice(parts),
    }),
    authenticateAdmin: adminAuthenticator({
      judge: adminToken,
      limits,
      tags,
      session: adminSession({ present, isOwnOrigin, limits }),
    }),
    authenticateUser: userAuthenticator({
      mode: config.USER_AUTH,
      judge: idToken,
      present,
      recognise,
      isOwnOrigin,
      judgeDevice: deviceTokenJudge({ service: tracking, internalToken, tags, limits }),
    }),
  }
}

/** LINE Login where its channel is configured, whatever `USER_AUTH` is: sessions begin with it in every mode. */
function lineOf(config: Config, log: Log): { login: LineLogin; verifier: Verifier } | undefined {
  const { LINE_LOGIN_BASE: base, LINE_LOGIN_CHANNEL_ID: channelId } = config
  if (channelId === undefined) return undefined
  const login = new LineLogin({ base, channelId, log })
  const secret = config.LINE_LOGIN_CHANNEL_SECRET
  return { login, verifier: idTokenVerifier({ line: login, channelId, secret, log }) }
}
