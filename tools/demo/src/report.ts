import { table } from '@palanquin/stack/table'
import type { Outcome } from './outcome.ts'
import { percentile, type RequestCounts } from './request-counts.ts'

const BAR_WIDTH = 24

/** The final table: what was sent on the left, what the API reports on the right. */
export function reportOf(
  sent: { participants: number; km: number },
  outcome: Outcome,
  counts: RequestCounts,
): string {
  const { points } = counts
  const taken = counts.count('check-in', 202)
  const rejected = [...points.rejected].map(([reason, count]) => `${whole(count)} ${reason}`)
  const rows = [
    [
      'Participants',
      whole(sent.participants),
      `${whole(outcome.profiles)} profiles; ${whole(outcome.onTheMap)} on the public map in all, by consent`,
    ],
    [
      'Check-ins',
      whole(counts.count('check-in')),
      `${whole(outcome.checkins)} counted; ${whole(taken - outcome.checkins)} repeated within a minute, ${whole(counts.count('check-in', 429))} over the limit`,
    ],
    [
      'Points',
      whole(points.sent),
      `${whole(points.buffered)} kept; ${whole(points.duplicates)} sent again at once; ${whole(points.filtered)} too inaccurate or fast to count${rejected.length > 0 ? `; rejected: ${rejected.join(', ')}` : ''}`,
    ],
    [
      'Kilometres',
      sent.km.toFixed(1),
      `${(outcome.walkedKm + outcome.motorizedKm).toFixed(1)} (${outcome.walkedKm.toFixed(1)} on foot, ${outcome.motorizedKm.toFixed(1)} by motor)`,
    ],
    [
      'Surveys',
      whole(counts.count('survey')),
      `${whole(outcome.surveys)} completed; photos come through LINE`,
    ],
    [
      'Carbon',
      '',
      `${outcome.totalKg.toFixed(1)} kg CO2e; walking instead of driving avoided ${outcome.avoidedKg.toFixed(1)}`,
    ],
    ['Achievements', '', `${whole(outcome.unlocked)} unlocked: three check-ins, survey and phone number`],
    [
      'Last flush',
      '',
      `${whole(outcome.flush.flushed)} points in ${(outcome.flush.tookMs / 1000).toFixed(2)} s`,
    ],
    ['Health', '', healthOf(outcome)],
  ]
  return [
    table(['', 'sent', 'what the API says'], rows, ['left', 'right', 'left']),
    table(
      ['Level', 'participants', ''],
      outcome.levels.map(({ label, participants }) => [
        label,
        whole(participants),
        '█'.repeat(Math.ceil((participants / sent.participants) * BAR_WIDTH)),
      ]),
      ['left', 'right', 'left'],
    ),
    table(
      ['Answered in', 'requests', 'p50 ms', 'p99 ms', 'by status'],
      [...counts.endpoints]
        .filter(([, { tookMs }]) => tookMs.length > 0)
        .map(([name, { tookMs, statuses }]) => [
          name,
          whole(tookMs.length),
          percentile(tookMs, 0.5).toFixed(1),
          percentile(tookMs, 0.99).toFixed(1),
          [...statuses]
            .toSorted(([a], [b]) => a - b)
            .map(([status, count]) => `${status}: ${whole(count)}`)
            .join('  '),
        ]),
      ['left', 'right', 'right', 'right', 'left'],
    ),
  ].join('\n\n')
}

const healthOf = ({ health }: Outcome): string =>
  `${health.status}: d1 ${health.d1}, kv ${health.kv}, r2 ${health.r2}; ${whole(health.buffer_size)} buffered`

/** With thousands separators. */
const whole = (value: number): string => value.toLocaleString('en-US')
