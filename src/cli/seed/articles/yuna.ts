/** 유나 translates novels, in Korean and sometimes in English. */
import { parseComments, type SeedAuthor } from '../entry.js';

export const yuna: SeedAuthor = {
  member: {
    key: 'yuna',
    memberName: '정유나',
    nickname: '유나',
    bio: '소설을 옮깁니다. 한 단어 때문에 하루를 쓰기도 해요. Translator, slowly.',
    categories: ['번역', '책'],
  },
  articles: [
    {
      title: '"cozy"를 옮기다가 하루가 갔다',
      category: '번역',
      tags: ['번역', '영어', '단어'],
      written: '126 days ago, 07:30',
      content: `소설 속 할머니가 부엌을 둘러보며 "Well, it's cozy"라고 말한다. 아늑하다, 라고 쓰고 지웠다. 할머니는 지금 칭찬을 하는 게 아니기 때문이다. 좁다는 말을 예의 바르게 하고 있다.

'오붓하네'는 사람이 있어야 하고, '아담하네'는 거의 맞지만 집을 보러 온 사람의 말투다. 한국의 할머니라면 뭐라고 할까. 우리 할머니를 떠올렸다. 처음 내 자취방에 오셨을 때 문지방에 선 채로 말씀하셨다.

"손 뻗으면 다 닿겠네."

그걸로 했다. 원문보다 길고 사전에는 없지만, 편집자에게서 연필로 동그라미가 쳐져 돌아왔다.`,
      comments: parseComments(`
        haneul 2h: 손 뻗으면 다 닿겠네! 저희 할머니 목소리로 들려요.
        jonas 9h: The machine gave me “everything within arm’s reach” and I understood the whole kitchen.
        > yuna 12h: Then the machine had a good day. So did I.
        seojin 17h: 제 방도 그 평가를 받았습니다. 칭찬인 줄 알았어요.
      `),
    },
    {
      title: '마감 전날 밤에 하는 일들',
      category: '번역',
      tags: ['번역', '마감', '생활'],
      written: '91 days ago, 15:55',
      content: `마감 전날에는 번역을 하지 않는다. 원고를 처음부터 소리 내어 읽는다. 눈은 실수를 용서하지만 혀는 용서하지 않는다. 숨이 찬 문장은 독자도 숨이 차고, 내가 두 번 더듬은 곳에는 반드시 오역이나 비문이 있다.

이번 책은 사백십이 쪽이었다. 아홉 시간 걸렸다. 중간에 목이 쉬어서 꿀물을 타 마셨고, 윗집 개가 주인공 이름에 대답하기 시작했다.

새벽에 마지막 문장을 읽었다. 그리고 늘 그러듯이, 첫 문장을 다시 고쳤다. 다 읽고 나서야 첫 문장이 무슨 말을 하고 있었는지 알게 되기 때문이다.`,
      comments: parseComments(`
        doyun 4h: 윗집 개한테도 완성본 한 권 주셔야겠는데요.
        > yuna 8h: 이미 전권을 들었습니다. 두 번째 챕터를 좋아해요.
        priya 22h: Reading aloud finds bugs in code too. My team thinks I am talking to the rubber duck. I am.
      `),
    },
    {
      title: 'On being translated, for once',
      category: '번역',
      tags: ['번역', 'translation', 'essay'],
      written: '66 days ago, 12:05',
      content: `A small magazine in Leeds asked for one of my essays, and for the first time somebody else carried me into English. I thought I would enjoy it. I spent the first evening furious about a comma.

The translator, whose name is Ruth, had turned my *눈치* into “the art of reading a room”. It is correct. It is what the dictionaries say. But nobody practises 눈치 as an art; it is more like keeping your balance on a bus. I wrote her a long letter about it. She answered in one line: “What does the bus do to your hands?”

We settled on “keeping my balance in other people’s moods”. It is better than what I wrote. I have asked whether I may translate it back.`,
      comments: parseComments(`
        amara 3h: I live in Leeds! Which magazine? I want to hold it in my hands.
        > yuna 10h: It is called Ginnel. Ruth says it means a narrow passage between houses, which is what translation is, too.
        > amara 11h: It is, and I walk through one every morning.
        theo 15h: “What does the bus do to your hands?” I would hire Ruth for anything.
        haneul 19h: 눈치를 버스에서 중심 잡기라고 하시다니. 저는 늘 넘어지는 쪽입니다.
      `),
    },
    {
      title: '헌책방에서 내가 옮긴 책을 만났다',
      category: '책',
      tags: ['책', '헌책방', '기록'],
      written: '33 days ago, 09:45',
      content: `청계천 헌책방 바닥에 쌓인 책들 사이에서 내 이름을 봤다. 팔 년 전, 두 번째로 옮긴 책이다. 절판되어 나도 한 권밖에 가지고 있지 않다. 삼천 원.

펼쳐 보니 밑줄이 가득했다. 파란 볼펜으로 그은 줄 옆에는 작은 글씨로 이렇게 적혀 있었다. "엄마한테 읽어 드릴 것." 그 문장은 원서에서 내가 가장 오래 붙들고 있던 문장이었다. 확신 없이 넘겼고, 책이 나온 뒤에도 한동안 마음에 걸렸다.

책을 사지 않고 제자리에 꽂아 두었다. 다음 사람이 그 밑줄을 읽어야 할 것 같아서. 나오면서 조금 울었고, 조금 뛰었다.`,
      comments: parseComments(`
        seojin 5h: 그 책 제목 알려 주세요. 제가 사러 가도 되나요? 밑줄은 지우지 않을게요.
        > yuna 9h: 서진 님이라면요. 세 번째 집, 왼쪽 아래 칸에 있어요.
        > seojin 60h: 샀습니다. 저도 한 줄 그었어요. 연필로.
        haneul 7h: 조금 울었고 조금 뛰었다. 저라면 사진을 찍었을 텐데, 안 찍는 게 맞았을 것 같아요.
        doyun 13h: 누군가의 밥상에 제 반찬이 올라간 걸 본 기분이겠네요.
      `),
    },
    {
      title: '겨울에 읽기 좋은, 아무 일도 일어나지 않는 소설들',
      category: '책',
      tags: ['책', '겨울', '추천'],
      written: '12 days ago, 10:30',
      content: `사건이 없는 소설을 좋아한다. 아무 일도 일어나지 않는데 책을 덮으면 누군가를 오래 알게 된 기분이 드는 소설.

겨울마다 사람들에게 권하는 기준은 세 가지다. 첫째, 아무도 죽지 않을 것. 혹은 죽더라도 제 나이에 죽을 것. 둘째, 누군가 무언가를 오래 끓일 것. 셋째, 눈이 오되 아무도 조난당하지 않을 것.

이 기준으로 고르면 읽을 책이 없을 것 같지만 생각보다 많다. 제목을 적는 대신 여러분의 책을 듣고 싶다. 당신이 아는 가장 조용한 소설은 무엇인가요?`,
      comments: parseComments(`
        amara 4h: Anything in which a vicar is worried about a flower show.
        > yuna 6h: Adding it to the rules: fourth, a small worry, resolved by tea.
        theo 9h: Tove Jansson, the one about summer on the island. Nothing happens and I reread it every winter.
        > yuna 12h: It is on my desk at this moment.
        > priya 14h: Seconded. The grandmother lies about everything and is right.
        doyun 18h: 소설은 잘 모르지만 두 번째 기준은 제가 도울 수 있습니다.
      `),
    },
  ],
};
