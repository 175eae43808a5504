import { DEFAULT_CONSENT } from '@palanquin/domain/consent'
import { Settings, SettingsPatch } from '@palanquin/domain/settings'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { describe } from '@palanquin/service/http/openapi'
import { knownBody } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import { respond } from '../respond.ts'
import { roleOf } from '../roles/caller.ts'
import type { OwnersSettings } from './settings.ts'

const EXAMPLE: Settings = {
  name: { zh: '白沙屯媽祖進香', en: 'Baishatun Mazu Pilgrimage' },
  startsAt: '2026-04-12T15:50:00.000Z',
  endsAt: null,
  consent: { version: '2026-1', ...DEFAULT_CONSENT },
  densityMin: 3,
  publicBaseUrl: 'https://walk.example',
  liffUrl: 'https://liff.line.me/1656000000-abcdefgh',
}
const answers = { 200: { description: 'the settings as they hold', data: Settings, example: EXAMPLE } }
const tags = ['administration']

/** `GET` and `PATCH /admin/settings`, for owners. Web face, section 4. */
export const settingsRoutes = (settings: OwnersSettings) =>
  new Elysia({ name: 'settings' })
    .get(
      '/admin/settings',
      async ({ request }) => {
        const role = roleOf(request.headers, 'owner')
        return role instanceof ApiError ? role : ok(await settings.read())
      },
      {
        detail: describe({
          summary: 'The settings: what was set, else what the environment says',
          tags,
          answers,
          apiErrors: ['unauthorized', 'forbidden', 'unavailable'],
        }),
      },
    )
    .patch(
      '/admin/settings',
      async ({ request, body: input }) => {
        const by = roleOf(request.headers, 'owner')
        return by instanceof ApiError ? by : respond(await settings.change(input, by))
      },
      {
        body: knownBody(SettingsPatch),
        detail: describe({
          summary: 'Change settings, without a restart',
          description:
            'Any part of them; what is left out stays, and null goes back to what the environment says. Every service follows within seconds. Texts are shown as text, never as markup.',
          tags,
          example: { densityMin: 5, startsAt: '2026-04-12T23:50:00+08:00' },
          answers,
          apiErrors: ['invalid', 'unauthorized', 'forbidden', 'unavailable'],
        }),
      },
    )
