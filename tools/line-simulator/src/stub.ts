import type { messagingApi } from '@line/bot-sdk'
import { serve } from './api/serve.ts'
import { type Composer, compose } from './composer.ts'
import { isLiff, LIFF_SDK_PATH, liffSdk, openLiff } from './liff/open.ts'
import { servePage } from './page/serve.ts'
import { createPlatform, type Platform, type PlatformOptions } from './platform.ts'
import { tapped } from './tap.ts'
import { ANSWER_MS_MAX, createWebhookSender, type Target, type WebhookSender } from './webhook-sender.ts'

export type LineOptions = PlatformOptions & {
  /** Left out, any free one. */
  port?: number | undefined
  /** Where the bot listens, asked at each webhook; `control.listenAt` says otherwise. */
  webhook?: (() => Target | undefined) | undefined
  /** How long a webhook waits for the bot's answer: left out, as long as LINE. */
  answerMsMax?: number | undefined
}

/** What a test does to this LINE and reads of it. */
export type Control = Omit<Platform, 'channel' | 'say' | 'noteCall' | 'changed' | 'onChange'> &
  WebhookSender & {
    /** From now on webhooks go there. */
    listenAt: (target: Target | string) => void
    /** The events of a user, a group or a room; in a group the second argument speaks. */
    from: (chatId: string, speaker?: string) => Composer
    /** The event of tapping a button of the bot's; undefined where LINE sends none. */
    tap: (chatId: string, action: messagingApi.Action, picked?: string) => ReturnType<typeof tapped>
  }

export type LineStub = {
  /** The chat as a person sees it. */
  url: string
  channelSecret: string
  channelAccessToken: string
  loginChannelId: string
  botUserId: string
  apiBase: string
  /** Another host name than `apiBase`, as at LINE: what belongs to one is not found at the other. */
  dataApiBase: string
  loginBase: string
  /** The environment variables for a bot. */
  environment: Record<
    | 'LINE_CHANNEL_SECRET'
    | 'LINE_CHANNEL_ACCESS_TOKEN'
    | 'LINE_LOGIN_CHANNEL_ID'
    | 'LINE_LOGIN_CHANNEL_SECRET'
    | 'LINE_API_BASE'
    | 'LINE_DATA_API_BASE'
    | 'LINE_LOGIN_BASE',
    string
  >
  control: Control
  close: () => Promise<void>
}

const API_HOST = '127.0.0.1'
const DATA_HOST = 'localhost'

/** Where the pages are, by where the webhooks go. */
const originOf = (target: Target | undefined): string | undefined =>
  target === undefined ? undefined : new URL(target.url).origin

/** Starts a LINE of its own on loopback: its API, its data host, its login, and the page with the chat. */
export function testLine(options: LineOptions = {}): LineStub {
  const platform = createPlatform(options)
  let target = options.webhook ?? (() => undefined)
  const sender = createWebhookSender(platform, {
    target: () => target(),
    answerMsMax: options.answerMsMax ?? ANSWER_MS_MAX,
  })
  const ended = new AbortController()
  const server = Bun.serve({
    hostname: API_HOST,
    port: options.port ?? 0,
    development: false,
    fetch: (request, server) => {
      const { hostname, pathname } = new URL(request.url)
      if (hostname !== API_HOST && hostname !== DATA_HOST) return new Response(null, { status: 400 })
      if (pathname === LIFF_SDK_PATH) return liffSdk()
      if (isLiff(pathname)) return openLiff(request, platform, originOf(target()))
      if (!/^\/(v2|oauth2)\//.test(pathname)) {
        server.timeout(request, 0) // the page listens for as long as it is open
        return servePage(request, { platform, sender, target: () => target() })
      }
      return serve(request, { platform, host: hostname === DATA_HOST ? 'data' : 'api', ended: ended.signal })
    },
  })
  const { channelSecret, channelAccessToken, loginChannelId, botUserId } = platform.channel
  const apiBase = `http://${API_HOST}:${server.port}`
  const dataApiBase = `http://${DATA_HOST}:${server.port}`
  const from = (chatId: string, speaker?: string) => compose(platform, chatId, speaker)
  return {
    url: `${apiBase}/`,
    channelSecret,
    channelAccessToken,
    loginChannelId,
    botUserId,
    apiBase,
    dataApiBase,
    loginBase: apiBase,
    environment: {
      LINE_CHANNEL_SECRET: channelSecret,
      LINE_CHANNEL_ACCESS_TOKEN: channelAccessToken,
      LINE_LOGIN_CHANNEL_ID: loginChannelId,
      LINE_LOGIN_CHANNEL_SECRET: channelSecret,
      LINE_API_BASE: apiBase,
      LINE_DATA_API_BASE: dataApiBase,
      LINE_LOGIN_BASE: apiBase,
    },
    control: {
      ...platform,
      ...sender,
      listenAt: (next) => {
        target = () => (typeof next === 'string' ? { url: next } : next)
      },
      from,
      tap: (chatId, action, picked) => tapped(from(chatId), action, picked),
    },
    close: async () => {
      ended.abort()
      await server.stop(true)
    },
  }
}
