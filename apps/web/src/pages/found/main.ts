import { mount } from '../../mount.tsx'
import { FoundPage } from './page.tsx'

mount(FoundPage)
