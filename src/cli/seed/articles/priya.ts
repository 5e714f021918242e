/** Priya keeps databases running, and a baby. */
import { parseComments, type SeedAuthor } from '../entry.js';

export const priya: SeedAuthor = {
  member: {
    key: 'priya',
    memberName: 'Priya Nair',
    nickname: 'priya',
    bio: 'Databases, mostly awake. New parent, mostly awake.',
    categories: ['Databases', 'Home'],
  },
  articles: [
    {
      title: 'The query that was only slow on the first of the month',
      category: 'Databases',
      tags: ['postgresql', 'performance', 'stories'],
      written: '128 days ago, 10:00',
      content: `For half a year, on the first of each month, between nine and nine twenty, our reports took forty times as long. By the time somebody looked, it was over.

We blamed the billing run, of course. I moved it to the second. The reports were slow on the first. I moved it back out of shame.

Then I did the boring thing, and wrote down the plan of the query once a minute for a month:

\`\`\`sql
explain (analyze, buffers)
select * from invoices where issued_on >= date_trunc('month', now());
\`\`\`

On the first of the month at nine there are no invoices of this month. The planner had learned that overnight, and so it planned for none, beautifully, while the first few thousand came in. At twenty past nine the statistics caught up. One line moved the analysis to after the first batch.

The bug was that the database believed us.`,
      comments: parseComments(`
        theo 4h: A radio that works on Sundays, and a query that fails on the first. We should open a shop.
        > priya 7h: Open on the first Sunday of the month, by appointment.
        amara 20h: I understood two thirds of this and all of the last line.
      `),
    },
    {
      title: 'Notes from a four o’clock feed',
      category: 'Home',
      tags: ['family', 'night', 'notes'],
      written: '107 days ago, 03:50',
      content: `One hand. No capital letters at first; I am adding them now.

The house at four is a machine with one moving part. The fridge stops. The street lamp has a moth. She drinks like someone who has read that milk will be discontinued.

I used to be on call for a payments system, and it has prepared me better than any book. There is the page that wakes you. There is the runbook: nappy, milk, song, other song. There is the moment when everything you know has been tried and you simply walk up and down with it. And there is the silence after, in which you do not dare to close the laptop.

No post-mortem. She is asleep on my left arm, and I have decided that I do not need it until morning.`,
      comments: parseComments(`
        seojin 2h: 새벽 네 시 동료로서 인사드립니다. "nappy, milk, song, other song" 저희 병동 매뉴얼보다 낫네요.
        > priya 5h: From you that is a medal.
        jonas 12h: “Milk will be discontinued.” Congratulations on the small person and on the sentence.
        doyun 15h: Other song? Which one works?
        > priya 18h: The one about the buses. Do not ask how many verses.
      `),
    },
    {
      title: 'Write the migration you would want to be woken for',
      category: 'Databases',
      tags: ['postgresql', 'howto', 'work'],
      written: '79 days ago, 11:30',
      content: `A checklist, made by a tired person for tired people.

1. **It can stop halfway.** In a transaction it is all or nothing. Where it cannot be in one, it can be run again.
2. **It takes the locks it says it takes.** Set \`lock_timeout\` to two seconds and find out while the sun is up.
3. **The old code runs on the new schema.** For ten minutes both will exist. So add first, and take away next week.
4. **Someone else can tell how far it is.** A progress line costs nothing. Silence at three in the morning costs a lot.
5. **You have read the way back aloud.** If there is none, say that aloud too.

I would like to claim that I learned these from a book. I learned them one at a time, each between one and five in the morning.`,
      comments: parseComments(`
        theo 9h: Number five holds for anything with a lid.
        yuna 13h: Reading aloud again! We should start a club.
        > priya 16h: First meeting: your novel, my migration, Theo’s schematics. Tea provided.
        > amara 18h: I will bring beans.
      `),
    },
    {
      title: 'What my father asked about the cloud',
      category: 'Home',
      tags: ['family', 'work'],
      written: '49 days ago, 15:10',
      content: `My father ran a stationery shop in Kochi for forty years. On the phone on Sunday he asked, as he does about once a year, what it is that I do.

I said that I look after where things are written down, so that two people cannot sell the same seat. He was quiet for a bit. “So you keep the ledger,” he said.

I said yes, but it is in many places at once. “We had three,” he said. “One in the shop, one at home, one with my brother, because of the floods. Every Saturday we sat down and made them agree. Your uncle always had eleven rupees too many.”

I have explained replication to rooms full of engineers, and never once as well. I did ask about the eleven rupees. “We never found out,” he said. “We wrote it down every week as *Uncle’s eleven rupees*, and then the books agreed.”`,
      comments: parseComments(`
        doyun 5h: Three ledgers because of the floods. Your father is an engineer.
        > priya 8h: I told him you said so. He is unbearable now.
        theo 7h: Every system I ever mended had its eleven rupees.
        haneul 180h: 아버지가 장롱 위를 보러 가셨다던 그분이시죠? 무언가 찾으셨나요?
        > priya 190h: A box camera, and film in it! He will not let anyone touch it until we visit.
      `),
    },
    {
      title: 'Deleting things properly',
      category: 'Databases',
      tags: ['privacy', 'work', 'essay'],
      written: '15 days ago, 12:40',
      content: `Somebody wrote to us: please delete everything you have about me. It took nine days, which is within the law, and I am a little ashamed of it.

The account was easy. Then there was the search index, which remembered. The nightly export, which remembered for thirty nights. The log, where someone had once printed a whole form. A spreadsheet on a shared drive called *final_v2*. Each of them had been somebody’s good idea.

Since then I ask one question of everything new: *when a person goes, how does this find out?* If the answer is “we would have to remember to…”, it is not an answer. A foreign key remembers. A job with a test remembers. We do not.

I wrote back on the ninth day that it was done, and that it had taught us something. She answered: “Good. You may forget that too.”`,
      comments: parseComments(`
        amara 3h: That reply deserves to be framed, but I suppose it may not be kept.
        > priya 6h: I asked her. She said the sentence may stay.
        seojin 10h: 병원에서도 똑같은 질문을 해야 해요. 기억하는 것보다 잊는 게 더 어렵습니다.
        jonas 23h: final_v2. There is always a final_v2.
        > theo 25h: Next to the spider.
      `),
    },
  ],
};
