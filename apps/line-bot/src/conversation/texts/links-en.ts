import type { LinkTexts } from './links-zh-tw.ts'

/** What the bot says of each page that it leads to. */
export const enLinks: LinkTexts = {
  map: {
    title: 'Where everybody is',
    text: 'Open the map and see where the procession is now.',
    open: 'Open the map',
    missing: 'The map is not ready yet. Please come back a little later 🙏',
  },
  walk: {
    title: 'My walk',
    text: 'Join, record your way and check in here, and see the way you walked and your data. While it records, keep the screen on.',
    open: 'Open my walk',
    missing:
      'My walk is not ready yet. Please come back a little later. You can check in by sending me your location 🙏',
  },
  family: {
    title: 'Let your family see you',
    text: 'Open “My walk”, make a link and send it to your family. It ends by itself, and you can take it back at any time.',
    open: 'Make a family link',
    missing: 'Family links are not ready yet. Please come back a little later 🙏',
  },
  phones: {
    title: 'Phone apps',
    text: 'To record with the screen off, use a location app. Open “My walk” and follow the steps, or ask the staff to help you.',
    open: 'Set up my phone',
    missing:
      'Phone apps are not ready yet. Please come back a little later. You can check in by sending me your location 🙏',
  },
  lost: {
    title: 'Lost, or in danger?',
    text: 'Call 110 first, or 119 if somebody is hurt or unwell. If somebody is lost, tell us then: volunteers nearby will help to search. Tell us, too, if you found somebody.',
    open: 'Report somebody lost',
    missing: 'Call 110, or 119 if somebody is hurt or unwell, and tell the staff near you at once 🙏',
  },
  survey: {
    title: 'Pilgrimage survey',
    text: 'It takes three minutes, shows how much carbon you saved, and counts for your achievement.',
    open: 'Fill in the survey',
    missing: 'The survey is not ready yet. Please come back a little later 🙏',
  },
  feedback: {
    title: 'Talk to us',
    text: 'A problem, an idea, a thank-you: tell us. In an emergency, call 119.',
    open: 'Send feedback',
    missing:
      'The feedback page is not ready yet. Please tell the staff near you. In an emergency, call 119 🙏',
  },
}
