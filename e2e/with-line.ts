import { readFileSync } from 'node:fs'
import { type LineStub, testLine } from '@palanquin/line-simulator/stub'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'

/** LINE gives a bot two seconds; a busy machine may take longer, and the event would not be sent again. */
const ANSWER_MS_MAX = 60_000

/** A stack with a simulated LINE, which sends its events to the stack's webhook. */
export async function startWithLine(
  settings: Record<string, string>,
): Promise<{ line: LineStub; stack: ThrowawayStack; close: () => Promise<void> }> {
  const line = testLine({ answerMsMax: ANSWER_MS_MAX })
  const stack = await startThrowawayStack({ ...line.environment, ...settings })
  const close = async () => {
    await stack.close()
    await line.close()
  }
  connect(line, stack)
  return { line, stack, close }
}

/** Sends the events of a simulated LINE to a stack. */
export const connect = (line: LineStub, stack: ThrowawayStack): void =>
  line.control.listenAt({
    url: `${stack.api.base}/webhook`,
    ca: readFileSync(stack.running().caFile, 'utf8'),
  })
