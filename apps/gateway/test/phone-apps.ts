import type { DeviceDelivery, DeviceReceipt } from '@palanquin/domain/device-delivery'
import { PHONE_APPS, type PhoneApp } from '@palanquin/domain/phone-apps'
import { newWriteToken, writeTokenHash } from '@palanquin/service/write-token'
import { type AnswerCase, wrongAnswer } from '@palanquin/testing/phones/answers'
import { PHONE_REQUESTS, type PhoneFix } from '@palanquin/testing/phones/requests'
import { type GatewayInstance, TAGS } from './gateway.ts'
import type { Deployment } from './use-gateway.ts'

export type Sent = { path: string; init: RequestInit }
export type Got = { status: number; headers: Headers; text: string }

export const FIX: PhoneFix = { lat: 23.9, lng: 120.4, recordedAt: 1_776_046_500_000 }
export const TAKEN: DeviceReceipt = { state: 'taken', counts: { stored: 1 } }

/** The request in which an app sends a fix. */
export function fixBy(app: PhoneApp, token: string, fix: PhoneFix = FIX): Sent {
  const [request] = PHONE_REQUESTS[app](token, [fix])
  if (!request) throw new Error(`${app} sends nothing`)
  return request
}

/** Phones of a deployment, and a tracking that gives each token its receipt. */
export function phonesOf(deployment: Deployment) {
  const receipts = new Map<string, DeviceReceipt>()
  const receiptOf = async (request: Request): Promise<DeviceReceipt> => {
    const { hash }: { hash: string } = JSON.parse(await request.text())
    return receipts.get(hash) ?? TAKEN
  }
  const send = async ({ path, init }: Sent, gateway = deployment.gateway): Promise<Got> => {
    const answer = await gateway.call(path, init)
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  return {
    send,
    /** Tracking answers, as long as `before` lets it. */
    answering: (before: () => Promise<void> = async () => {}): void =>
      deployment.services.tracking.replyWith(async (request) => {
        await before()
        return Response.json({ ok: true, data: await receiptOf(request) })
      }),
    /** A token with a receipt of its own. */
    token: (receipt: DeviceReceipt = TAKEN): string => {
      const token = newWriteToken(TAGS)
      receipts.set(writeTokenHash(token), receipt)
      return token
    },
    /** What reached tracking. */
    deliveries: (): DeviceDelivery[] =>
      deployment.services.tracking.calls
        .filter(({ target }) => target === '/internal/device-points')
        .map(({ body }) => JSON.parse(body)),
    /** What is wrong with the answer of each app in a case; all of them send at once. */
    wrong: async (
      wanted: AnswerCase,
      tokenOf: (app: PhoneApp) => string,
      gateway?: GatewayInstance,
    ): Promise<string[]> => {
      const found = await Promise.all(
        PHONE_APPS.map(async (app) => {
          const { status, text, headers } = await send(fixBy(app, tokenOf(app)), gateway)
          if (headers.get('cache-control') !== 'no-store') return `${app}: may be cached`
          return wrongAnswer(app, wanted, { status, body: text })
        }),
      )
      return found.filter((one) => one !== null)
    },
  }
}
