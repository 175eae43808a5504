import type { ParticipantStatus } from '@palanquin/domain/participant'
import { useEffect, useRef } from 'preact/hooks'

/** Whether somebody has withdrawn, or come back, while this page was open. */
export function useStanding(status: ParticipantStatus | undefined): { hasLeft: boolean; isBack: boolean } {
  const seen = useRef({ in: false, out: false })
  useEffect(() => {
    if (status === 'withdrawn') seen.current.out = true
    else if (status !== undefined) seen.current.in = true
  }, [status])
  const isOut = status === 'withdrawn'
  return { hasLeft: isOut && seen.current.in, isBack: !isOut && seen.current.out }
}
