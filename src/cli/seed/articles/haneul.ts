/** 하늘 walks through Seoul with a camera. */
import { parseComments, type SeedAuthor } from '../entry.js';

export const haneul: SeedAuthor = {
  member: {
    key: 'haneul',
    memberName: '서하늘',
    nickname: '하늘',
    bio: '서울 골목을 걷고 필름으로 찍습니다. 느린 사진을 좋아해요.',
    categories: ['골목', '사진'],
  },
  articles: [
    {
      title: '해방촌 계단에서 만난 오후 네 시',
      category: '골목',
      tags: ['서울', '산책', '필름'],
      written: '141 days ago, 09:20',
      content: `해방촌은 오르막으로만 기억되는 동네다. 108계단에 승강기가 생긴 뒤로도 나는 굳이 걸어서 올라간다. 중간에 두 번쯤 쉬어야 하고, 쉬는 자리마다 보이는 것이 다르기 때문이다.

첫 번째로 쉬는 곳에서는 남산타워가 전봇대 사이로 보인다. 전깃줄이 오선지처럼 걸려 있어서 타워가 꼭 높은음자리표 같다. 두 번째 자리에는 늘 같은 할머니가 나와 앉아 계신다. 오늘은 먼저 말을 거셨다. "그거 돈 되는 거야?" 카메라 얘기였다. 아니라고 했더니 한참 웃으셨다.

오후 네 시의 빛은 십 분쯤 머문다. 서쪽 담벼락이 전부 살구색이 되고, 빨래가 그림자로 한 번 더 널린다. 필름 세 장을 썼다. 나머지는 그냥 눈으로 봤다. 현상소에 맡기고 나면 일주일을 기다려야 하는데, 나는 그 일주일이 사진의 절반이라고 생각한다.`,
      comments: parseComments(`
        yuna 3h: "빨래가 그림자로 한 번 더 널린다"에서 멈췄어요. 이런 문장은 어디서 오나요.
        > haneul 5h: 그날 정말로 그렇게 보였어요. 저는 받아적기만 했습니다.
        doyun 26h: 계단 아래 만두집 아직 있나요? 거기 김치만두가 진짜입니다.
        > haneul 30h: 있어요! 다만 네 시면 벌써 다 팔려요.
        > doyun 31h: 역시. 다음엔 만두 먼저 드시고 올라가세요.
        amara 50h: I had to run this through a translator, but the photograph came through anyway. Thank you.
      `),
    },
    {
      title: '필름값이 또 올랐다',
      category: '사진',
      tags: ['필름', '사진', '생활'],
      written: '118 days ago, 13:05',
      content: `자주 쓰던 200짜리 컬러 필름이 한 롤에 이만 원을 넘겼다. 서른여섯 장이니 한 컷에 육백 원. 현상과 스캔까지 하면 천 원이 조금 안 된다. 셔터를 누를 때마다 천 원짜리를 한 장씩 바람에 날리는 셈이다.

그래서 규칙을 만들었다.

- 같은 장면은 한 번만 찍는다.
- 찍기 전에 카메라를 한 번 내린다. 그래도 찍고 싶으면 찍는다.
- 한 달에 네 롤을 넘기지 않는다.

두 번째 규칙이 제일 어렵다. 카메라를 내리면 대부분의 장면은 지나가 버린다. 그런데 이상하게도, 지나가 버린 장면이 찍은 장면보다 오래 기억에 남는다. 값이 오른 덕분에 배운 것이라고 적어 두면 조금 덜 억울하다.`,
      comments: parseComments(`
        theo 8h: Fixing up a 1970s rangefinder taught me the same: the price of a frame is a kind of discipline.
        > haneul 11h: Which one? I have been looking for a quiet rangefinder for years.
        > theo 20h: A Canonet with a stuck shutter. A drop of lighter fluid and patience.
        seojin 14h: 저는 휴대폰으로 하루에 백 장 찍고 한 장도 안 봐요. 반성하고 갑니다.
      `),
    },
    {
      title: '비 오는 을지로의 간판들',
      category: '골목',
      tags: ['서울', '을지로', '비'],
      written: '83 days ago, 11:40',
      content: `비가 오면 을지로에 간다. 젖은 바닥이 간판을 한 번 더 비추기 때문에, 좁은 골목이 두 배로 넓어진다.

조명 가게, 타일 가게, 도무지 무엇을 파는지 알 수 없는 가게. '정밀'과 '특수'라는 글자가 유난히 많다. 한 사장님은 삼십 년 동안 같은 자리에서 볼트만 팔았다고 했다. 볼트가 몇 종류나 되느냐고 물었더니 세어 본 적은 없지만 이름은 다 안다고 하셨다.

재개발 현수막이 골목 입구마다 걸려 있다. 내년에 오면 없을지도 모르는 간판 열두 개를 찍었다. 사진을 찍는 일이 작별 인사가 되는 동네가 점점 늘어난다.

그래도 국숫집의 김은 여전히 문밖으로 나와 비와 섞이고 있었다.`,
      comments: parseComments(`
        yuna 5h: 볼트 이름을 다 안다는 말이 시 같아요. 사전 편집자도 그렇게 말하거든요.
        > haneul 6h: 유나 님은 단어 이름을 다 아시잖아요.
        jonas 30h: I walked through here in 2019 on a long layover and never learned the name of the place. Now I know: Euljiro.
        doyun 33h: 그 국숫집 혹시 골목 세 번째 꺾이는 곳인가요? 멸치 국물에 양파를 통으로 넣는 집입니다.
        > haneul 40h: 맞아요. 역시 국물만 듣고 아시네요.
      `),
    },
    {
      title: '할아버지의 카메라를 고쳤다',
      category: '사진',
      tags: ['필름', '가족', '수리'],
      written: '46 days ago, 12:15',
      content: `장롱 위에 이십 년 넘게 있던 카메라다. 가죽 케이스는 손대자마자 부스러졌고, 셔터는 반쯤 열린 채로 굳어 있었다. 충무로 수리실 사장님은 한참 들여다보더니 "이건 안 쓴 게 아니라 아껴 쓴 겁니다"라고 하셨다. 조리개 링에 눈금마다 작은 점이 찍혀 있었다. 할아버지가 바늘로 찍어 놓은 것이라고 했다.

수리비는 카메라값보다 비쌌다. 그래도 고쳤다.

첫 롤은 할머니 댁에서 찍었다. 할머니는 카메라를 알아보고는 머리를 만지셨다. 할아버지가 찍어 줄 때도 꼭 그러셨다고 한다. 현상된 사진에서 할머니는 내가 아니라 카메라를 보고 웃고 계신다. 아마 카메라 뒤에 있던 다른 사람을.`,
      comments: parseComments(`
        theo 6h: The needle dots. Somebody could not read the scale any more and solved it himself. I have seen it on radios too.
        > haneul 9h: Radios! I never thought of that. He was a signal man in the army, so it fits.
        seojin 10h: 출근길 버스에서 읽다가 마지막 문장에서 내릴 정류장을 놓칠 뻔했어요.
        amara 21h: Please show us the photograph one day, if your grandmother allows it.
        > haneul 28h: I asked. She says only if her hair is good in it.
        > amara 29h: A professional.
        priya 70h: Sent this to my father. He has gone to look on top of the wardrobe.
      `),
    },
    {
      title: '새벽 네 시 반, 노량진',
      category: '골목',
      tags: ['서울', '시장', '새벽'],
      written: '9 days ago, 22:10',
      content: `수산시장의 경매는 말이 아니라 손으로 한다. 손가락이 접혔다 펴지는 사이에 광어 열 상자가 주인을 바꾼다. 종소리가 한 번 울리면 끝이고, 다음 상자가 벌써 와 있다. 나는 셔터를 누를 순간을 세 번 놓쳤다.

젊은 중도매인 한 분이 커피를 건네며 "사진은 생선이 아니라 장화를 찍어야 한다"고 했다. 정말이었다. 젖은 바닥을 걷는 장화들에는 저마다 이름이 적혀 있고, 뒤꿈치가 닳은 방향이 다 다르다.

여섯 시가 되자 시장은 갑자기 조용해졌다. 밖은 아직 어두운데 이곳의 하루는 벌써 끝났다. 돌아오는 첫 지하철에서, 출근하는 사람들 사이에 나만 퇴근하는 얼굴로 앉아 있었다.`,
      comments: parseComments(`
        doyun 2h: 다음에는 저도 데려가 주세요. 장화 있습니다.
        > haneul 3h: 이름 적힌 장화인가요?
        > doyun 4h: 도윤이라고 크게 써 놨습니다.
        seojin 9h: 밤근무 끝나고 첫차 타는 기분이 딱 이래요. 반갑습니다, 동지.
      `),
    },
  ],
};
