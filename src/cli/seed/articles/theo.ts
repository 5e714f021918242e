/** Theo mends radios in Gothenburg. */
import { parseComments, type SeedAuthor } from '../entry.js';

export const theo: SeedAuthor = {
  member: {
    key: 'theo',
    memberName: 'Theo Lindqvist',
    nickname: 'theo',
    bio: 'Mends radios, and anything else that hums. Gothenburg.',
    categories: ['Workbench', 'Listening'],
  },
  articles: [
    {
      title: 'A radio that only played Sundays',
      category: 'Workbench',
      tags: ['radio', 'repair', 'stories'],
      written: '139 days ago, 18:30',
      content: `A woman brought me her late husband’s set, a 1958 Luxor in walnut, and said it worked on Sundays only. I have heard many things in this shop, so I wrote down “Sundays” and put it on the shelf.

It was true. Monday to Saturday it hummed and said nothing. The fault was a paper capacitor that leaked when it was cold, and her kitchen was cold on every day but one: on Sundays her daughter came with the children, the oven was on from nine, and by noon the radio had warmed up enough to talk.

I changed the capacitor. It cost her four kronor and I charged her nothing for the rest, because I had enjoyed the week. She rang a month later. It plays every day now, she said, and it is very nice, but would it be possible to have it the way it was?`,
      comments: parseComments(`
        haneul 5h: The last line. I would ask for the same.
        > theo 14h: I kept the old capacitor in a drawer, just in case. It is labelled.
        priya 9h: The best bug report I ever read. Reproducible only with grandchildren.
        > jonas 12h: Works on my oven.
        amara 20h: I am stealing this for my lesson on temperature and resistance. With credit!
      `),
    },
    {
      title: 'What the shelf of hopeless cases teaches',
      category: 'Workbench',
      tags: ['repair', 'patience'],
      written: '109 days ago, 17:15',
      content: `Every repair shop has a shelf for what cannot be mended. Mine holds eleven radios, one accordion, and a toaster that I refuse to discuss.

The rule is that once a year, in the dark week after New Year, I take everything down and try again. I do not know more than last year, or not much. But I have forgotten what I was sure of. Last time I had decided that the Philips had a broken coil, and so I had spent four hours on the coil. This time I had no opinion, and so I looked, and there was a dead spider across two contacts.

So now there are ten. I have come to believe that hopeless mostly means that somebody was certain too early.`,
      comments: parseComments(`
        seojin 6h: "Somebody was certain too early." We should write this on the wall of every ward.
        priya 10h: Opening the ticket I closed as “cannot reproduce” in 2022. If there is a spider in it I am sending you a cake.
        > theo 15h: There is always a spider.
        > priya 90h: It was a time zone. I am calling it a spider.
        doyun 31h: May I ask about the toaster?
        > theo 33h: No.
      `),
    },
    {
      title: 'Soldering, explained to my niece',
      category: 'Workbench',
      tags: ['howto', 'radio', 'family'],
      written: '71 days ago, 14:20',
      content: `My niece is nine and wanted to know what I do all day, so we made a radio. These are the rules as she wrote them down afterwards. I would not change a word.

1. Heat the thing, not the tin. The tin comes by itself if the thing is hot.
2. If it looks like a ball it is lying. If it looks like a tent it is true.
3. Blow on it and it gets grey and sulks.
4. Do not hold it where it is hot. (Twice.)
5. If you hear Poland you have done it right.

We heard Poland at a quarter past eight. She asked what they were saying. I said I thought it was the weather for ships. We listened until her mother came, to the weather for ships, in the dark, because the lamp made it crackle.`,
      comments: parseComments(`
        amara 3h: Rules 2 and 5 are going on the wall of my physics room tomorrow.
        > theo 16h: She would like it known that she is available as a consultant.
        yuna 8h: “If it looks like a ball it is lying.” 번역하고 싶은 문장이에요. 공처럼 생겼으면 거짓말이고, 텐트처럼 생겼으면 참이다.
        jonas 40h: The weather for ships in the dark. I can think of no better evening.
      `),
    },
    {
      title: 'Listening to nothing on 4625',
      category: 'Listening',
      tags: ['shortwave', 'night', 'radio'],
      written: '41 days ago, 22:05',
      content: `There is a frequency on shortwave where for decades a station has sent nothing but a buzz, some twenty-five times a minute. Once in a while the buzz stops and a voice reads out a name and some numbers. Nobody who knows what it means has ever said so.

I leave it on while I work at night. People find that strange, but a buzz is company that asks for nothing. After an hour you stop hearing it, and after two you hear everything else: the tram, the fridge, the rain deciding.

Last Tuesday the voice came while I had both hands in a transformer. I stood still, as one does for an anthem. Then the buzz went on, and so did I.`,
      comments: parseComments(`
        seojin 7h: The rain deciding. On night shift I know this hour very well.
        haneul 12h: 밤에 혼자 듣는 소리에 대한 글은 언제나 좋네요. I can almost hear it.
        priya 13h: Tried it with a web receiver during the four o’clock feed. The baby approves of the buzz. Thank you, mysterious station.
        > theo 21h: At last, a purpose.
      `),
    },
    {
      title: 'The toaster',
      category: 'Workbench',
      tags: ['repair', 'patience', 'stories'],
      written: '3 days ago, 19:00',
      content: `All right. Since so many have asked.

It belongs to my neighbour Birgit, who is eighty-six, and it has no fault. I have taken it apart six times. Every part of it measures as it should. On my bench it makes toast like a toaster in a film. In her kitchen it throws the bread at the wall.

Today I finally did what I should have done two years ago, which is to carry it over myself and watch her make breakfast. She cuts her own bread. She cuts it a finger thick, pushes it in with the flat of the knife, and leans on the lever like someone launching a boat.

I have not mended the toaster. I have made a small wooden tool for pushing in bread, and I had two slices, with cheese. It is off the shelf. I count this as my best repair.`,
      comments: parseComments(`
        doyun 2h: I waited a hundred days for this. It was worth it.
        > theo 4h: You asked politely. It wore me down.
        amara 5h: “Like someone launching a boat” – I have an aunt who closes car doors like that.
        priya 12h: Go and watch the user have breakfast. There is no better advice in software either.
        yuna 16h: 드디어 토스터의 비밀이! 도윤 님 축하드려요.
      `),
    },
  ],
};
