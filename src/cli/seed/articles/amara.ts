/** Amara teaches physics in Leeds and has an allotment. */
import { parseComments, type SeedAuthor } from '../entry.js';

export const amara: SeedAuthor = {
  member: {
    key: 'amara',
    memberName: 'Amara Okafor',
    nickname: 'amara',
    bio: 'Physics by day, beans by weekend. Leeds.',
    categories: ['Classroom', 'Allotment'],
  },
  articles: [
    {
      title: 'The egg drop, eleven years on',
      category: 'Classroom',
      tags: ['teaching', 'physics'],
      written: '134 days ago, 16:40',
      content: `Every June I give thirty children one egg each, ten straws, a metre of tape and a second-floor window. I have done this for eleven years and I still do not know who will win.

It is never the clever boxes. This year the best in the set built a cradle with a crumple zone and a drawing to go with it, and the egg came out of it like a bullet. The winner was a boy who has not handed in homework since Easter. He had made a ring of straws, loose, nothing holding the egg at all. “It just needs longer to stop,” he said. Which is the whole of the chapter on impulse, in six words.

I asked him to write that down. He said he would rather not. So I have.`,
      comments: parseComments(`
        theo 4h: Loose, nothing holding it at all. I have mended clocks that way.
        > amara 6h: He would be pleased. He would not show it.
        jonas 19h: It just needs longer to stop. I feel the same about Mondays.
      `),
    },
    {
      title: 'My neighbour’s beans are better than mine',
      category: 'Allotment',
      tags: ['garden', 'beans', 'summer'],
      written: '101 days ago, 10:10',
      content: `Plot 14 belongs to Mr Szymański, who is ninety-one and whose beans are taller than his shed. Plot 15 is mine. I have the same soil, the same rain, and a subscription to a magazine.

This week I swallowed my pride and asked. He looked at my canes for a long time and said: “You come on Saturdays.” That was the advice. I waited for the rest and there was none.

So I have been coming before school, at half past six, ten minutes a day. I do nothing much. I move a slug. I tie something up. And of course that is it: on Saturday you see what happened, but at half past six you see what is about to.

The beans have noticed. So has Mr Szymański, who now leaves the gate open.`,
      comments: parseComments(`
        doyun 5h: "You come on Saturdays." My mother says the same about my soy sauce: you only visit it.
        > amara 8h: Your mother and Mr Szymański must never meet, or there will be nothing left for us to learn.
        priya 14h: This is the best argument for small daily builds that I know of.
        haneul 22h: 토요일에는 이미 일어난 일을 보고, 여섯 시 반에는 일어날 일을 본다. 좋네요.
      `),
    },
    {
      title: 'How to answer “when will we ever need this?”',
      category: 'Classroom',
      tags: ['teaching', 'essay'],
      written: '62 days ago, 17:25',
      content: `They ask it every September, usually about vectors. I have tried all the answers.

*Bridges* does not work, because nobody in 9C intends to build one. *Exams* works and is a defeat. For a while I said “you need it the way a footballer needs press-ups”, until a girl told me, correctly, that she could do press-ups at home.

What I say now is this: “I don’t know. I don’t know which of it you will need, and neither do you, and the one who needs the vectors will be annoyed if I guessed wrong.” It has the advantage of being true. They find that unsettling, a teacher who says she does not know, and it buys me about twenty minutes.

In twenty minutes one can do a great deal with vectors.`,
      comments: parseComments(`
        priya 3h: I asked this in 1999 and now I do vectors for a living. Please tell 9C.
        > amara 5h: May I? In exactly these words?
        > priya 6h: Add that I was also bad at press-ups.
        seojin 11h: I never needed vectors, but drip rates are ratios, and I thank my teacher every night.
        theo 25h: A teacher who says she does not know is worth four who do.
      `),
    },
    {
      title: 'A short inventory of the shed',
      category: 'Allotment',
      tags: ['garden', 'autumn', 'list'],
      written: '29 days ago, 11:50',
      content: `End of the season, so I have emptied the shed and written it all down.

- One spade, my father’s, shorter on the left where he always started.
- Two forks, one of them good.
- String: enough to reach Bradford, in pieces of nine inches.
- A radio that gets one station, and that one only when it rains.
- Forty-one flower pots, of which I will use six.
- A jar with seeds marked “Do NOT mix up!!” and nothing else.
- A wren. She was there first and has been entered as a tenant.

Everything went back except the string. I put in a shelf for the wren, who ignores it. Then I sat on the step with the flask and looked at the bare ground, which is the only time of the year when it is exactly as tidy as I am not.`,
      comments: parseComments(`
        theo 6h: About that radio. It is a bad earth; the rain improves it. Water the spike and you will have two stations.
        > amara 31h: I WATERED THE SPIKE. There is a man talking about ferries.
        > theo 33h: You are welcome. That is the good one.
        yuna 12h: "A spade shorter on the left where he always started." 이 목록이 소설보다 좋아요.
      `),
    },
    {
      title: 'The night the whole class saw Saturn',
      category: 'Classroom',
      tags: ['teaching', 'astronomy', 'night'],
      written: '8 days ago, 21:15',
      content: `I borrowed a telescope, wrote to the parents, and expected five. Twenty-six came, most of them with a grown-up, some with a flask, one with a dog who was wonderfully patient.

It was cloudy until ten to eight, as it always is. Then it simply stopped. I found Saturn, stood back, and let them queue.

Nobody says anything clever at a telescope. They all say the same thing, children and grown-ups, in the same voice. They say: “It’s real.” One father looked for so long that his daughter had to pull at his coat. Afterwards he told me that he drives a bus and has worked under that sky at night for fifteen years.

Nobody asked when they would ever need it.`,
      comments: parseComments(`
        seojin 4h: Tell the father that a nurse on the night bus says hello.
        > amara 13h: I will. He would like that very much.
        jonas 7h: It’s real. I said it too, in a car park in Turku, to nobody.
        haneul 15h: 개까지 참을성 있게 기다렸다니. 사진이 없어도 다 보여요.
        priya 30h: Crying at my desk, which is a shame because I am in a meeting.
      `),
    },
  ],
};
