import { PROFILE_NAME, PROFILE_TYPE, setupOf } from '@palanquin/domain/phone-apps/setup'
import { SETUP_LINK_MS, SetupCode } from '@palanquin/domain/setup-link'
import type { CredentialTags } from '@palanquin/service/credential-tags'
import { ApiError } from '@palanquin/service/http/api-error'
import { fileParams } from '@palanquin/service/http/file-params'
import { describe } from '@palanquin/service/http/openapi'
import { newWriteToken, writeTokenHash } from '@palanquin/service/write-token'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { baseOf } from '../caller.ts'
import type { DeviceStore } from '../store.ts'
import type { PublicAddress } from '../view.ts'
import type { ProfileStore } from './store.ts'

const unknown = new ApiError(
  'notFound',
  'This set-up address was used, or it is too old. Please make a new one.',
)

type ProfileDependencies = {
  store: ProfileStore
  devices: Pick<DeviceStore, 'addToken'>
  tags: CredentialTags
  facts: () => PublicAddress
}

/** What GPSLogger fetches behind its link (phone apps, section 4): the code alone says who asks. */
export const profileRoutes = ({ store, devices, tags, facts }: ProfileDependencies) =>
  new Elysia({ name: 'profiles' }).get(
    '/in/gpslogger/setup/:code',
    async ({ params: { code }, request: { headers } }) => {
      const deviceId = await store.take(code)
      const token = newWriteToken(tags)
      if (deviceId === null || !(await devices.addToken(deviceId, writeTokenHash(token)))) return unknown
      const base = baseOf(headers, facts().publicBaseUrl)
      return new Response(setupOf('gpslogger', { base, token, deviceId }).setup.file?.content, {
        headers: {
          'content-type': PROFILE_TYPE,
          'content-disposition': `attachment; filename="${PROFILE_NAME}"`,
        },
      })
    },
    {
      params: fileParams(Type.Object({ code: SetupCode }), '.properties'),
      detail: describe({
        summary: 'The settings of GPSLogger, once',
        description: `GPSLogger fetches them behind the \`setup.link\` of its device, within ${SETUP_LINK_MS / 60_000} minutes. They have a write token of their own.`,
        tags: ['participants'],
        answers: {
          200: {
            description: 'the settings, a line each',
            media: { 'text/plain': Type.String() },
            example: 'log_customurl_enabled=true\nlog_customurl_method=POST\n',
            headers: ['Content-Disposition'],
          },
        },
        apiErrors: ['invalid', 'notFound', 'unavailable'],
      }),
    },
  )
