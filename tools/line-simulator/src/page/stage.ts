import type { Platform } from '../platform.ts'
import type { Target, WebhookSender } from '../webhook-sender.ts'

/** What the page shows and plays with: the stand-in of LINE, and the bot that it calls. */
export type Stage = { platform: Platform; sender: WebhookSender; target: () => Target | undefined }
