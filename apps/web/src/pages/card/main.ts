import { mount } from '../../mount.tsx'
import { CardPage } from './page.tsx'

mount(CardPage)
