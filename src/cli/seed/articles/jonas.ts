/** Jonas travels by slow trains. */
import { PICTURE, parseComments, type SeedAuthor } from '../entry.js';

export const jonas: SeedAuthor = {
  member: {
    key: 'jonas',
    memberName: 'Jonas Reed',
    nickname: 'jonas',
    bio: 'I take the slow train and write down what the window says.',
    categories: ['Trains', 'On foot'],
  },
  articles: [
    {
      title: 'Fourteen minutes in Hanover',
      category: 'Trains',
      tags: ['trains', 'travel'],
      written: '123 days ago, 13:35',
      content: `The connection in Hanover is fourteen minutes, which everybody who has taken it will tell you is either an eternity or not enough. Mine was late by eleven.

You learn what you are made of in three minutes. I am, it turns out, a man who says “excuse me” to a pigeon. I went down one staircase and up another with a rucksack and half a sandwich, and the conductor of the other train saw me and did a thing that no timetable knows: he bent down and, very slowly, tied his shoe.

I have thought about that shoe all the way to Prague. There must be rules against it. I hope that he ties it often.`,
      comments: parseComments(`
        seojin 5h: 그 차장님 같은 사람이 되고 싶어요. The shoe!
        > jonas 9h: I am told that double knots take longest.
        amara 11h: I too have apologised to a pigeon. It was in the right.
      `),
    },
    {
      title: 'Nobody gets off at Altnabreac',
      category: 'Trains',
      tags: ['trains', 'scotland', 'places'],
      written: '94 days ago, 19:20',
      content: `There is a station in the north of Scotland with no road worth the name, no village, and about one passenger a day. The train stops only if you ask. I asked. The guard wanted to know whether I was sure.

Then it was gone, and there was the loudest silence I have ever stood in. Peat to the horizon, brown and gold and black, and water in it like dropped coins. I had four hours until the next train. I walked along the track, saw a stag, was seen by a stag, came back.

![Hills behind hills, and pools of water in the peat, under a low sun](${PICTURE})

There is a visitors’ book in the shelter. The last entry was eight days old and said: “It is still here.” I wrote: “Confirmed.”`,
      comments: parseComments(`
        theo 6h: “Confirmed.” Next summer I shall go, to countersign.
        > jonas 12h: Bring a radio. I want to know what one hears there.
        haneul 9h: A station for one passenger a day. I would spend all my film.
        yuna 27h: Four hours in which a stag looks at you: this fits all three of my rules for a winter novel.
      `),
    },
    {
      title: 'In praise of the thermos',
      category: 'On foot',
      tags: ['travel', 'things'],
      written: '68 days ago, 08:45',
      content: `I own one expensive thing and it is a flask. It is dented where it fell down a scree in Wales, and the lid has my sister’s name on it, for reasons that she brings up at Christmas.

What you carry in it is a question of faith. I have met walkers who swear by soup. I was one for a year, until the morning when I poured lentils over my porridge in the dark. Now it is tea, black, no sugar: the only drink that tastes of the place where you drink it.

The real use of a flask is this. You sit down next to someone, anyone, on a wall, on a platform, and unscrew the lid. You do not have to say anything. In eleven countries I have never finished one alone.`,
      comments: parseComments(`
        amara 4h: Everything important in my shed has been said over a flask.
        doyun 6h: Soup is correct, but it needs a second flask. I can advise.
        > jonas 10h: I knew you would come for me. I accept the second flask.
        theo 18h: What did your sister write on the lid?
        > jonas 20h: “Jonas borrowed this in 2011.”
      `),
    },
    {
      title: 'Night train, upper bunk',
      category: 'Trains',
      tags: ['trains', 'night', 'travel'],
      written: '36 days ago, 06:30',
      content: `Vienna to Venice, six of us in a compartment meant for the thin. In the upper bunk one lies like a letter in a drawer.

At Villach somebody came in with a cello and apologised to each of us by turns. There was no place for the cello. There was a discussion in four languages, mostly of hands. In the end it got the lower bunk by the door and its owner sat up beside it all night with one arm around its neck, and a man from Udine put his coat over the two of them.

I woke over the lagoon. Everything was pink, the compartment smelled of oranges, and the cello was the only one still asleep.`,
      comments: parseComments(`
        yuna 3h: "Like a letter in a drawer." I am underlining this one in pencil.
        priya 8h: Travelling with a baby is exactly this, except that nobody from Udine comes.
        > seojin 13h: I would be your man from Udine.
        > priya 15h: That made my week.
        haneul 21h: 첼로만 아직 자고 있었다. 마지막 문장이 사진이에요.
      `),
    },
    {
      title: 'Things overheard between Busan and Seoul',
      category: 'Trains',
      tags: ['trains', '서울', 'korea'],
      written: '11 days ago, 09:05',
      content: `I do not speak Korean, so this is what I heard, not what was said.

A grandmother peeled a mandarin in one long ribbon and gave a piece of it to everyone within reach, me included, in an order that was clearly not up for debate. Two students slept back to back like bookends. A boy in a baseball cap asked his father something thirty times between Daejeon and Osong, and thirty times the father answered as though for the first time.

On the mountains there was snow, in the fields none. When we crossed the Han everybody looked up from their telephones, for about as long as it takes to breathe in. I asked the grandmother with my hands whether that was usual. She nodded, and gave me the rest of the mandarin.`,
      comments: parseComments(`
        haneul 2h: You were in Seoul and did not tell us! 다음에는 꼭 말해 주세요.
        > jonas 5h: I was afraid that you would make me climb the stairs in Haebangchon.
        > haneul 6h: I would have. With dumplings at the bottom, Doyun says.
        seojin 8h: 한강에서 다들 고개를 드는 그 순간, 저만 아는 줄 알았어요.
        yuna 14h: What you heard is what was said. That is the whole trade.
        doyun 20h: The order is: eldest, youngest, guest. You were promoted.
      `),
    },
  ],
};
