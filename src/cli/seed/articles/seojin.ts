/** 서진 is a nurse on night shifts. */
import { parseComments, type SeedAuthor } from '../entry.js';

export const seojin: SeedAuthor = {
  member: {
    key: 'seojin',
    memberName: '이서진',
    nickname: '서진',
    bio: '밤에 일하고 낮에 잡니다. 병동에서 주운 생각들을 적어요.',
    categories: ['밤근무'],
  },
  articles: [
    {
      title: '새벽 세 시의 병동에서 나는 소리들',
      category: '밤근무',
      tags: ['간호', '밤', '기록'],
      written: '130 days ago, 23:10',
      content: `낮의 병동은 시끄럽고 밤의 병동은 또렷하다. 수액이 떨어지는 소리는 들리지 않지만, 떨어지지 않으면 들린다. 선배가 그렇게 말했을 때는 농담인 줄 알았는데 이 년쯤 지나니 정말로 들린다.

세 시가 되면 복도 끝 자판기가 한 번 웅 하고 운다. 7호실 어르신은 그 소리에 깨어 꼭 물을 찾으신다. 그래서 두 시 오십오 분에 물컵을 채워 둔다. 어르신은 내가 늘 그 시간에 우연히 들어오는 줄 아신다.

퇴원하시는 날, 어르신이 물었다. "자네는 잠도 없나." 없습니다, 하고 웃었다. 집에 와서 열 시간을 잤다.`,
      comments: parseComments(`
        yuna 6h: 두 시 오십오 분의 물컵. 이런 일이 세상을 굴리는구나 싶어요.
        haneul 11h: "떨어지지 않으면 들린다" 오래 생각했습니다.
        > seojin 22h: 처음 들리던 날 저도 놀랐어요.
        theo 30h: It is the same with old radios: you learn to hear the hum that is missing.
        > seojin 46h: Yes! Exactly that. The missing hum.
      `),
    },
    {
      title: '낮에 자는 사람을 위한 커튼 이야기',
      category: '밤근무',
      tags: ['수면', '생활'],
      written: '104 days ago, 05:00',
      content: `삼 년 동안 산 암막 커튼이 네 벌이다. 결론부터 말하면 커튼보다 틈이 문제다. 빛은 커튼을 뚫지 않고 돌아서 들어온다.

지금의 방법은 이렇다.

- 커튼 봉을 창틀보다 한 뼘 넓게 단다.
- 아래쪽은 바닥에 닿게 하고, 옆은 벽에 자석 테이프로 붙인다.
- 휴대폰은 거실에 둔다. 이게 제일 중요하고 제일 못 지킨다.

그래도 낮 두 시에는 한 번 깬다. 학교가 끝난 아이들이 골목을 지나가는 시간이다. 예전에는 그 소리가 원망스러웠는데, 요즘은 세상이 제대로 돌아가고 있다는 알림처럼 듣고 다시 잔다.`,
      comments: parseComments(`
        priya 5h: Reading this at 3 a.m. with a baby on my arm. The magnets are going in this weekend.
        > seojin 15h: Good luck to you and the small colleague on night shift.
        doyun 8h: 식당 할 때 저는 알루미늄 포일을 붙였어요. 예쁘지는 않은데 확실합니다.
      `),
    },
    {
      title: '신규 간호사에게 볼펜을 다섯 자루 주는 이유',
      category: '밤근무',
      tags: ['간호', '일', '사람'],
      written: '75 days ago, 08:20',
      content: `우리 병동에는 전통이 있다. 새로 온 사람에게 첫날 볼펜을 다섯 자루 준다. 한 자루는 의사가 가져가고, 한 자루는 보호자가 서명하고 주머니에 넣는다. 한 자루는 세탁기에서 죽고, 한 자루는 그냥 사라진다. 마지막 한 자루가 남아 있으면 석 달을 버틴 것이다.

올해 들어온 후배는 두 달 만에 다섯 자루를 모두 잃어버리고 내 앞에서 울었다. 볼펜 때문은 아니었다. 처음으로 환자를 보낸 날이었다.

무슨 말을 해야 할지 몰라서 내 주머니의 볼펜을 꺼내 주었다. 여섯 자루째를 준 건 처음이라고 했더니 후배가 울다가 웃었다.

오늘 보니 그 볼펜을 아직 쓰고 있었다. 이름표를 붙여 놓았다.`,
      comments: parseComments(`
        amara 7h: Teachers do this with whiteboard pens. Nobody has ever been given a sixth. I will start.
        > seojin 19h: Please do. Write the name on it.
        yuna 12h: 여섯 자루째에서 저도 같이 울었어요.
        doyun 16h: 주방에서는 행주였습니다. 다섯 장.
      `),
    },
    {
      title: '퇴근길 버스에서 보는 아침',
      category: 'General',
      tags: ['버스', '아침', '기록'],
      written: '38 days ago, 00:15',
      content: `아침 여덟 시의 버스에는 두 종류의 사람이 탄다. 시작하는 사람과 끝난 사람. 시작하는 사람은 서 있고, 끝난 사람은 앉아서 존다. 나는 종점에서 타기 때문에 늘 앉을 수 있다.

한강을 건널 때 잠깐 눈을 뜬다. 해가 물에 부딪혀 차 안의 손잡이가 전부 금색이 되는 구간이 이십 초쯤 있다. 기사님도 아시는지 그 구간에서는 라디오를 조금 키우신다.

오늘은 옆에 앉은 학생이 내 어깨에 기대어 잠들었다. 시험 기간인가 보다. 내릴 정류장을 지나 세 정거장을 더 갔다. 깨우기 싫었다. 덕분에 처음 보는 동네에서 첫 문을 여는 빵집을 만났다.`,
      comments: parseComments(`
        haneul 4h: 그 이십 초를 찍으러 가고 싶어요. 몇 번 버스인가요?
        > seojin 17h: 비밀은 아닌데, 앉을 자리가 없어질까 봐 고민되네요.
        > haneul 18h: 서서 찍겠습니다!
        jonas 26h: Three stops past your own so that a stranger can sleep. The best travel story of the month.
      `),
    },
    {
      title: '크리스마스 근무표가 나왔다',
      category: '밤근무',
      tags: ['간호', '겨울'],
      written: '4 days ago, 06:40',
      content: `올해도 이브는 나이트다. 작년에도, 재작년에도 그랬다. 수간호사 선생님은 미안해하셨지만 사실 나는 그 밤을 좋아한다.

이브의 병동에는 꼬마전구 하나 없는데도 어딘가 들뜬 공기가 있다. 보호자들은 귤을 까고, 9시 뉴스가 끝나면 누군가 꼭 캐럴을 작게 틀었다가 눈치를 보며 끈다. 그러면 옆 침대에서 "더 들읍시다" 한다.

> 작년 이브 새벽에 눈이 왔다. 창가 침대의 할머니를 휠체어에 태워 복도 끝 창으로 모셨다. "내년에도 볼까" 하셔서 "내년에는 밖에서 보세요" 했다.

올봄에 엽서가 왔다. 밖에서 꽃을 보고 있다고. 이브 근무, 괜찮다.`,
      comments: parseComments(`
        yuna 3h: 엽서 이야기로 끝나서 다행이에요. 마음 졸이며 읽었습니다.
        > seojin 14h: 저도 우편함 앞에서 한참 서 있었어요.
        theo 20h: Whoever says “let us listen some more” from the next bed is the hero of this one.
        doyun 25h: 이브에 병동으로 귤 한 상자 보내겠습니다. 주소 주세요.
      `),
    },
  ],
};
