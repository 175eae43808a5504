import { ReportPage } from '../lost/report-page.tsx'

/** What to do when somebody is found who has lost their people. */
export const FoundPage = () => <ReportPage kind="found" />
