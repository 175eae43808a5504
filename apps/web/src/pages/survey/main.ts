import { mount } from '../../mount.tsx'
import { SurveyPage } from './page.tsx'

mount(SurveyPage)
