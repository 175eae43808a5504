import type { Question } from '@palanquin/domain/survey'
import { useResource } from '../../api/resource.ts'
import type { Activity } from '../../api/types.ts'
import { TroubleBanner } from '../../parts/banners.tsx'
import { useChunk } from '../../parts/chunk.ts'
import { useTexts } from '../../parts/context.ts'
import { Foot, Shell } from '../../parts/shell.tsx'
import { usePerson } from '../../session/use-person.ts'
import { Questionnaire } from './questionnaire.tsx'

const SLOW_EVERY_MS = 300_000

/** The survey of a participant; who is none yet is asked to join before. */
export function SurveyPage() {
  const { language, texts } = useTexts()
  const survey = useResource<{ questions: Question[] }>('/survey', SLOW_EVERY_MS)
  const activity = useResource<Activity>('/activity', SLOW_EVERY_MS)
  const { who, renew } = usePerson()
  const joining = useChunk(() => import('./joining.ts'), who.kind === 'signed-out')
  const questions = survey.data?.questions ?? []
  const isLoading = questions.length === 0 || who.kind === 'loading'
  return (
    <Shell page="survey">
      <h1>{texts.surveyTitle}</h1>
      <TroubleBanner
        trouble={survey.trouble}
        atMs={survey.atMs}
        retry={survey.retry}
        kept={texts.offlineKept}
      />
      {activity.data?.features.survey === false ? (
        <p class="banner banner-ended">{texts.surveyEnded}</p>
      ) : who.kind === 'signed-out' && joining !== null ? (
        <>
          <p>
            {texts.surveyJoin} <a href={`/me?lang=${language}`}>{texts.surveyJoined}</a>
          </p>
          <joining.Join activity={activity.data} onJoined={renew} />
        </>
      ) : who.kind === 'person' && !isLoading ? (
        <>
          {joining !== null && <joining.RecoveryCode />}
          <Questionnaire person={who.person} questions={questions} />
        </>
      ) : (
        survey.trouble === null && <p aria-busy="true">{texts.surveyLoading}</p>
      )}
      <Foot />
    </Shell>
  )
}
