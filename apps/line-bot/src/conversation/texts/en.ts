import { enLinks } from './links-en.ts'
import type { Texts } from './zh-tw.ts'

const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** English, for guests from anywhere: short sentences, plain words. */
export const en: Texts = {
  unnamed: 'pilgrim',
  welcome: (who, event) =>
    `Welcome, ${who} 🙏\nGood to have you with us on the ${event}!\n\nI walk with you:\n📍 Send me your location to check in\n📷 Send me photos, I keep them for you\n🚶 Tap “My distance” to see how far you walked\n\nJust tap a button below.\n想用中文？請點「中文」。`,
  help: 'Here is what I can do 😊\n\n📍 Check in: send me your location\n📷 Photos: just send them to me\n🚶 Distance: how far you walked, and your level\n🎖 Card: a card to keep and share\n🏮 Where: the palanquin right now\n🗺 Map: where everybody is\n👣 My walk: record your way, and your data\n👪 Family: let your family see where you are\n📱 Phone apps: record by an app\n🆘 Lost: somebody is lost, or was found\n📝 Survey: see how much carbon you saved\n💬 Feedback: tell us about a problem\n\nAlso: “stop” and “resume” notifications, “delete my data”, “中文”.\n\nTap a button below, or type the word.',
  puzzled: 'Sorry, I did not get that 😅\nTap a button below, or type “help”.',
  oldButton: 'That button is too old and does not work any more.\nPlease tap one below, or type “help”.',
  away: 'I am a bit busy right now. Please try again in a moment 🙏\nNothing of yours is lost.',

  checkinHow:
    'Tap “📍 Send location” below and send me where you are. That is your check-in.\n\nPlease stop walking before you look at your phone. Safety first!',
  checkedIn: (place) =>
    `Checked in 📍${place ? `\n${place}` : ''}\n\nWell walked! Have some water and a little rest 🙏`,
  paused:
    'The event is paused, so this location was not recorded.\nTake a rest, have some tea 🍵 and check in again once it goes on.',
  ended:
    'The event has come to its end, so there are no more check-ins.\nThank you for walking with us 🙏 Tap “My distance” or “My card” to look back.',
  withdrawn:
    'You have withdrawn from this event, so your location is not recorded.\nTo walk with us again, ask the staff, or rejoin on the event page.',
  noPlace: 'I could not read this location. Please send it once more 🙏',

  photoKept: (count) => `Got your photo 📷\nThat makes ${plural(count, 'photo')}, all safely kept.`,
  photoBroken: 'I could not open this photo. Please try another one (JPG or PNG) 🙏',
  photoTooLarge: 'This photo is too large for me. Please send a smaller one (up to 10 MB) 🙏',

  statistics: {
    title: 'My pilgrimage',
    noLevel: 'Ready to go',
    level: (level) => `Level ${level}`,
    walked: 'Distance',
    kilometres: (km) => `${km} km`,
    checkins: 'Check-ins',
    times: (count) => String(count),
    photos: 'Photos',
    pictures: (count) => String(count),
    avoided: 'CO₂ saved',
    kilograms: (kg) => `${kg} kg`,
    firstStep: (title) => `Check in once to become a ${title}!`,
    toGo: ({ km, checkins, title }) =>
      `${[km > 0 ? `${km} km` : '', checkins > 0 ? plural(checkins, 'check-in') : ''].filter(Boolean).join(' and ')} to go to ${title}`,
    top: 'The highest level of all. Well done!',
    open: 'See the way I walked',
    spoken: ({ km, checkins, title }) =>
      `You walked ${km} km with ${plural(checkins, 'check-in')}${title ? `. You are a ${title}` : ''}.`,
  },

  card: 'This is your card 🎖\nPress and hold the picture to save it or to share it with family and friends.',
  cardSpoken: 'Your card',
  noCard: 'The cards are not ready yet. Please come back a little later 🙏',
  links: enLinks,

  whereLater: 'Once it sets out, I can tell you.',
  whereAway: 'Please ask me again in a moment, or open the map 🙏',

  whichLanguage: 'Which language would you like?\n想用哪一種語言？',
  languageChosen: 'All right, English it is 😊',
  stopped:
    'All right, I will not send you anything unasked 🔕\nCheck-ins and everything else still work. Type “resume” to hear from me again.',
  resumed: 'All right, I will tell you the news 🔔',

  eraseQuestion:
    'Delete all your data? Distance, check-ins, photos, survey, phone and card will be gone for good. This cannot be undone.',
  eraseYes: 'Delete it all',
  eraseNo: 'Keep my data',
  eraseTooLate:
    'That button has expired, and nothing was deleted.\nIf you still want it, type “delete my data” again.',
  erased:
    'All your data has been deleted.\nThank you for having walked with us. Take care 🙏\n\nIf you write to me again, a new record begins.',
  erasing:
    'Got it, your data is being deleted.\nThings are a bit slow right now; I will keep at it until it is done.',
  notErased: 'All right, everything is still here. Let us walk on 😊',

  phoneLink:
    'To record with the screen off, use a location app. Press the button, choose an app and follow the steps. The link is for you alone and lasts 15 minutes: please do not pass it on. Ask me for “phone” again for a new one, or ask the staff to help you.',
  groupHelp: (event) =>
    `Hello, I am the helper of the ${event} 🙏\nIn a group you can ask me: /where, /map, /lost, /survey, /feedback\nCheck-ins, distance and cards are personal: add me as a friend and write to me there.`,
  groupPrivate: 'That is personal, so not in a group. Write to me directly and I will tell you right away 😊',

  buttons: {
    sendLocation: '📍 Send location',
    sendPhoto: '📷 Send a photo',
    checkin: '📍 Check in',
    mileage: '🚶 My distance',
    card: '🎖 My card',
    where: '🏮 Where is Mazu',
    map: '🗺 Map',
    walk: '👣 My walk',
    family: '👪 Family',
    phones: '📱 Phone apps',
    lost: '🆘 Lost',
    survey: '📝 Survey',
    feedback: '💬 Feedback',
    help: '❓ Help',
    otherLanguage: '🌐 中文',
    resume: '🔔 Resume',
  },
}
