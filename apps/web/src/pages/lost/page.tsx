import { ReportPage } from './report-page.tsx'

/** What to do when somebody is missing. */
export const LostPage = () => <ReportPage kind="lost" />
