import { useEffect, useRef, useState } from 'preact/hooks'
import type { Resource, Trouble } from '../../api/resource.ts'
import type { Activity } from '../../api/types.ts'
import { useOutbox } from '../../outbox/use-outbox.ts'
import { TIMEZONE_DEFAULT, TroubleBanner } from '../../parts/banners.tsx'
import { useTexts } from '../../parts/context.ts'
import { useRecording } from '../../recording/use-recording.ts'
import { useProfile } from '../../session/profile.ts'
import type { WhoIsHere } from '../../session/use-person.ts'
import { BringRecording } from './bring-recording.tsx'
import { ShareCard } from './card.tsx'
import { CheckIn } from './check-in.tsx'
import { useConsentAnswer } from './consent-answer.ts'
import { FamilyLink } from './family-link.tsx'
import { Join } from './join.tsx'
import type { Left } from './left.tsx'
import { LookBackOnMine } from './look-back.tsx'
import { MyData } from './my-data.tsx'
import { StillWaiting } from './outbox-status.tsx'
import { PhoneApps } from './phone-apps.tsx'
import { Achievement, Progress } from './progress.tsx'
import { Recording } from './recording.tsx'
import { RecoveryCode } from './recovery.tsx'
import { Rejoin } from './rejoin.tsx'
import { useStanding } from './standing.ts'
import { Track } from './track.tsx'

/** What was received is counted within two seconds (contract, section 2). */
const COUNTED_MS = 2_500

/** The page of somebody who has joined. */
export function MyWalk({
  who: { person, isAsked },
  activity,
  saidAbove,
  leave,
  renew,
}: {
  who: WhoIsHere & { kind: 'person' }
  activity: Resource<Activity>
  saidAbove: Trouble | null
  leave: (how: Left) => void
  renew: () => void
}) {
  const { texts } = useTexts()
  const profile = useProfile(person)
  const consent = useConsentAnswer(person, profile.data)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const outbox = useOutbox(person, () => {
    clearTimeout(timer.current)
    timer.current = setTimeout(profile.retry, COUNTED_MS)
  })
  const [imports, setImports] = useState(0)
  const imported = () => {
    setImports((count) => count + 1)
    profile.retry()
  }
  const recording = useRecording(person, outbox, isAsked)
  const timezone = activity.data?.timezone ?? TIMEZONE_DEFAULT
  const isOpen = activity.data?.status !== 'ended' && profile.data?.status !== 'withdrawn'
  const { hasLeft, isBack } = useStanding(profile.data?.status)
  const looksBack = activity.data?.status === 'ended' && profile.data?.status !== 'withdrawn'
  useEffect(() => {
    if (!isOpen && recording.state.sinceMs !== null) void recording.stop()
  }, [isOpen, recording.state.sinceMs])
  const why = outbox.state.why ?? outbox.checkinsWait
  // Not every phone says that its network is back: another answer does.
  const isAnswered = activity.trouble === null
  const trouble = profile.trouble?.kind
  const isSaidAbove = trouble === 'offline' || (trouble !== undefined && trouble === saidAbove?.kind)
  useEffect(() => {
    if (isAnswered) void outbox.flush()
  }, [isAnswered, why === 'offline' ? activity.atMs : null])
  useEffect(() => {
    if (isAnswered && trouble !== undefined) profile.retry()
  }, [isAnswered, saidAbove === null])
  // Another person has signed in on another page of this phone.
  useEffect(() => {
    if (why === 'forbidden') renew()
  }, [why])
  const profileTrouble = profile.trouble !== null && !isSaidAbove && (
    <TroubleBanner trouble={profile.trouble} atMs={profile.atMs} retry={profile.retry} timezone={timezone} />
  )
  // A service that cannot say it holds up no check-in: it is asked once it can.
  if (consent.isAnswered === undefined && profile.trouble === null)
    return (
      <>
        <RecoveryCode key="recovery" />
        <p class="me-loading" aria-busy="true">
          {texts.myWalkLoading}
        </p>
      </>
    )
  if (consent.isAnswered === false)
    return (
      <>
        <RecoveryCode key="recovery" />
        <Join
          activity={activity.data}
          onJoined={() => {
            profile.retry()
            consent.close()
          }}
          onDeclined={consent.close}
        />
      </>
    )
  return (
    <>
      {looksBack && profile.data !== null && activity.data !== null && (
        <LookBackOnMine
          profile={profile.data}
          activity={activity.data}
          interruptions={recording.interruptions}
          renew={outbox.state.deliveredAtMs}
        />
      )}
      <RecoveryCode key="recovery" />
      {isOpen && (
        <CheckIn
          outbox={outbox}
          timezone={timezone}
          isBack={isBack}
          hasPhotos={activity.data?.features.photos === true}
        />
      )}
      {!isOpen && <StillWaiting outbox={outbox} timezone={timezone} />}
      {isOpen && <Recording recording={recording} outbox={outbox} timezone={timezone} />}
      {profile.data === null ? (
        profile.trouble === null && (
          <p class="me-loading" aria-busy="true">
            {texts.myWalkLoading}
          </p>
        )
      ) : (
        <>
          <Progress profile={profile.data} isOver={looksBack} />
          {profile.data.status === 'withdrawn' && (
            <Rejoin person={person} isNew={hasLeft} changed={profile.retry} />
          )}
          {(!looksBack || profile.data.achievement.unlocked) && (
            <Achievement profile={profile.data} surveyOpen={activity.data?.features.survey !== false} />
          )}
          {!looksBack && (
            <Track
              person={person}
              timezone={timezone}
              imports={imports}
              interruptions={recording.interruptions}
              renew={`${outbox.state.deliveredAtMs} ${profile.data.checkins}`}
            />
          )}
          {isOpen && <BringRecording timezone={timezone} imported={imported} />}
          <ShareCard person={person} />
          {isOpen && <FamilyLink timezone={timezone} />}
          {isOpen && <PhoneApps person={person} timezone={timezone} />}
          {activity.data !== null && (
            <MyData
              person={person}
              outbox={outbox}
              leave={leave}
              timezone={timezone}
              stop={recording.stop}
              profile={profile.data}
              consentVersion={activity.data.consentVersion}
              changed={profile.retry}
            />
          )}
        </>
      )}
      {profileTrouble}
    </>
  )
}
