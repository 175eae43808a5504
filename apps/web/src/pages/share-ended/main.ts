import { mount } from '../../mount.tsx'
import { ShareEndedPage } from './page.tsx'

mount(ShareEndedPage)
