import { mount } from '../../mount.tsx'
import { FeedbackPage } from './page.tsx'

mount(FeedbackPage)
