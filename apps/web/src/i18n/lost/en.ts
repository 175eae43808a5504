import type { LostTexts } from './zh-tw.ts'

/** Texts of `/lost` and `/found` in English. */
export const LOST_EN: LostTexts = {
  reportTitle: 'Report it to the organisers',
  reportIntro:
    'The organisers get this report, and the volunteers within 5 km a message. Please make the calls above first.',
  aboutLost: 'Who is missing, and what do they look like?',
  aboutLostHint:
    'Name, age, height, clothes, and when and where you saw the person last. At most 1,000 characters.',
  aboutFound: 'Whom did you find, and what do they look like?',
  aboutFoundHint:
    'The name if you can ask for it, the age, clothes, and where you both are now. At most 1,000 characters.',
  phone: 'Your phone number',
  phoneHint: 'For the organisers to call you. Volunteers do not get it, and it is never public.',
  placeLost: 'Where the person was last seen',
  placeFound: 'Where you are now',
  placeHint:
    'You are asked for your position only if you press. It goes to the organisers with the report, and to the volunteers near it.',
  placeHintLost: 'Add it only near the place where you saw the person last; else write the place above.',
  usePlace: 'Add my present position',
  placeAsking: 'Looking for your position…',
  placeAdded: 'Your present position is added (to about {metres} m).',
  placeRemove: 'Leave the position out',
  placeFailed:
    'Your position was not found. Write the place above, or turn location on in your phone and browser and try again.',
  photo: 'A photo (optional)',
  photoHint:
    'It is made smaller first, and where it was taken is removed. Only organisers and volunteers see it.',
  send: 'Send the report',
  aboutMissing: 'Please write who it is, and what they look like.',
  aboutTooLong: 'That is too long. Please use at most 1,000 characters.',
  phoneMissing: 'Please leave a phone number, so that the organisers can call you.',
  phoneInvalid: 'This is not a phone number. Begin one from abroad with + and the country code.',
  sentTitle: 'Your report has arrived',
  toldVolunteers: 'Volunteers nearby who get a message: {count}.',
  toldOwners: 'Organisers who get a message: {count}.',
  toldNobody:
    'The organisers have the report, but nobody could be sent a message. Please call them or 110 as well.',
  sentBody: 'Keep your phone free, and come back to this page to see what happens.',
  another: 'Report somebody else',
  yours: 'Your reports',
  kindLost: 'Missing',
  kindFound: 'Found',
  statusOpen: 'Received',
  statusTaken: 'Somebody is taking care of it',
  statusClosed: 'Closed',
  statusUnknown: 'The status cannot be read right now',
  reply: 'The organisers',
  closeLost: 'The person is found again',
  closeFound: 'The person is with family or organisers',
  closeAsk: 'Nobody goes on looking once it is closed. Are you sure?',
  closeYes: 'Yes, close it',
  closeNo: 'Not yet',
}
