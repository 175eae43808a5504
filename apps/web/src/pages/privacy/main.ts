import { mount } from '../../mount.tsx'
import { PrivacyPage } from './page.tsx'

mount(PrivacyPage)
