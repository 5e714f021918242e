/** 도윤 cooks, and writes recipes that are mostly about something else. */
import { parseComments, type SeedAuthor } from '../entry.js';

export const doyun: SeedAuthor = {
  member: {
    key: 'doyun',
    memberName: '박도윤',
    nickname: '도윤네부엌',
    bio: '작은 식당을 그만두고 집에서 끓입니다. 국물은 거짓말을 못 해요.',
    categories: ['국물', '제철'],
  },
  articles: [
    {
      title: '멸치 국물을 세 번 망치고 알게 된 것',
      category: '국물',
      tags: ['요리', '국물', '기본'],
      written: '136 days ago, 03:30',
      content: `식당을 할 때는 매일 아침 사십 인분을 끓였다. 그런데 집에서 사 인분을 끓이려니 맛이 나지 않았다. 세 번 연달아 망치고 나서야 이유를 알았다.

1. 양을 줄이면서 불은 줄이지 않았다. 작은 냄비는 생각보다 빨리 끓고, 끓으면 비린내가 먼저 나온다.
2. 멸치를 볶지 않았다. 마른 팬에서 일 분이면 된다.
3. 다시마를 너무 오래 두었다. 물이 끓기 시작하면 바로 건진다.

찬물에 멸치와 다시마를 넣고 삼십 분 기다린다. 약한 불에 올려 십오 분. 거품은 걷되 자꾸 젓지 않는다. 그게 전부다.

사십 인분의 비결이 사 인분의 비결은 아니었다. 큰 것을 줄인다고 작은 것이 되지는 않는다는 걸, 국물이 제일 먼저 알려 주었다.`,
      comments: parseComments(`
        seojin 4h: 어젯밤에 그대로 했는데 정말 맑아요. 자취 육 년 만에 처음으로 국물을 마셨습니다.
        > doyun 6h: 육 년이면 라면 천 그릇은 되겠네요. 축하합니다.
        haneul 9h: 마지막 문단은 사진에도 그대로 들어맞아요.
        priya 60h: The same is true of databases: a small one is not a big one made smaller. I will quote you.
        > doyun 63h: Please do, and tell me what a database tastes like.
      `),
    },
    {
      title: '가게 문을 닫은 날의 메뉴',
      category: '국물',
      tags: ['식당', '생활'],
      written: '112 days ago, 14:50',
      content: `마지막 날에는 예약을 받지 않았다. 단골 일곱 분에게만 문자를 보냈는데, 저녁이 되자 스물두 분이 오셨다. 의자가 모자라서 뒤집은 상자에 방석을 얹었다.

메뉴판을 치우고 냉장고에 남은 것으로 상을 차렸다. 무국, 두부조림, 묵은지, 그리고 처음 문을 열던 날 실패해서 메뉴에서 뺐던 굴전. 십 년 전보다 훨씬 잘 부쳐졌다. 왜 마지막 날에야 되는 걸까.

설거지는 손님들이 했다. 말릴 수 없었다. 누군가 간판 불을 끄면서 사진을 찍었고, 나는 열쇠를 건물 주인에게 드리고 걸어서 집에 왔다. 팔이 가벼워서 이상했다.

다음 날 아침 다섯 시에 눈이 떠졌다. 아무도 안 오는 부엌에서 일 인분을 끓였다.`,
      comments: parseComments(`
        yuna 2h: 스물두 명 중의 한 명이었어요. 굴전 때문에 울었다고는 안 했지만 사실입니다.
        > doyun 5h: 설거지하시면서 우신 줄 알았습니다. 감사했습니다.
        > haneul 7h: 간판 불 끈 사진은 제가 가지고 있어요. 크게 뽑아 드릴게요.
        amara 40h: Twenty-two people doing your washing-up is the best review a restaurant ever had.
        theo 44h: Five in the morning, one portion. I read that line three times.
      `),
    },
    {
      title: '오이지는 돌이 담근다',
      category: '제철',
      tags: ['요리', '여름', '저장'],
      written: '97 days ago, 02:10',
      content: `오이 오십 개, 소금, 물, 그리고 돌. 오이지에 들어가는 것은 이 네 가지다. 레시피마다 소금물의 농도를 두고 다투지만, 내가 보기에 중요한 것은 돌이다.

처음 담갔을 때 접시로 대충 눌러 두었더니 오이가 떠올라 하얗게 물러졌다. 어머니는 냇가에서 주워 온 돌을 쓰셨다. 납작하고, 두 손으로 들어야 하고, 삼십 년 동안 소금물에 절어 이제는 돌 자체가 짭짤하다.

팔팔 끓인 소금물을 그대로 붓는다. 사흘 뒤에 국물만 따라 다시 끓이고, 식혀서 붓는다. 열흘이면 먹을 수 있다.

이사할 때 돌을 제일 먼저 쌌다. 이삿짐센터 분이 "이건 뭡니까" 하기에 오이지라고 대답했더니 아무 말 없이 테이프를 한 번 더 감아 주셨다.`,
      comments: parseComments(`
        amara 12h: We have a pickling stone in my family too! It is from the drive of my grandmother’s house in Enugu.
        > doyun 15h: Then it is the same dish. The stone decides.
        seojin 20h: 돌을 어디서 사냐고 물으려다가, 사는 게 아니라는 걸 깨달았어요.
      `),
    },
    {
      title: '혼자 먹는 저녁을 위한 된장찌개',
      category: '국물',
      tags: ['요리', '일인분', '된장'],
      written: '58 days ago, 10:25',
      content: `일 인분 된장찌개가 어려운 까닭은 재료가 남기 때문이다. 두부 반 모, 애호박 삼분의 이, 대파 한 뿌리 중에 두 뼘. 남은 것들이 냉장고에서 나를 쳐다본다.

그래서 요즘은 순서를 뒤집는다. 찌개를 먼저 정하지 않고, 남은 것을 먼저 꺼내 놓는다. 된장은 무엇이든 받아 준다. 어제는 감자와 팽이버섯이었고, 그제는 먹다 남은 굴비 반 토막이었다.

**한 가지만 지킨다.** 된장은 불을 끄기 오 분 전에 푼다. 오래 끓인 된장은 구수하지만, 막 풀린 된장에는 향이 있다. 혼자 먹는 밥상에는 구수한 것보다 향이 필요하다.

뚝배기는 한 사람이 먹어도 식지 않는다. 그게 참 고맙다.`,
      comments: parseComments(`
        seojin 3h: 불 끄기 오 분 전! 저는 여태 처음부터 넣고 있었어요.
        > yuna 8h: 저도요. 우리 집안의 비극이 여기서 끝납니다.
        haneul 15h: 마지막 줄 냉장고에 붙여 놓을게요.
      `),
    },
    {
      title: '김장, 스무 포기만',
      category: '제철',
      tags: ['김장', '겨울', '가족'],
      written: '6 days ago, 05:45',
      content: `올해는 정말 스무 포기만 하기로 했다. 작년에도 그랬고 재작년에도 그랬다. 새벽에 시장에 가 보니 배추가 좋았고, 정신을 차려 보니 서른두 포기가 트럭에서 내려오고 있었다.

절이는 데 열두 시간이 걸린다. 밤 열한 시와 새벽 세 시에 뒤집어 주어야 한다. 알람을 맞췄지만 알람 없이 깼다. 배추를 뒤집다가 마당에서 별을 봤다. 김장이 아니었으면 못 봤을 별이다.

속을 넣는 건 누나와 조카 둘이 했다. 조카는 처음이라 한 장에 속을 너무 많이 넣었다. 누나가 빼려고 하기에 그냥 두라고 했다. 그 포기는 따로 표시를 해 두었다가 내년 이맘때 조카에게 줄 생각이다. 제일 맛있을 테니까.`,
      comments: parseComments(`
        haneul 5h: 서른두 포기… 내년에도 스무 포기만 하세요.
        > doyun 6h: 물론입니다. 스무 포기만.
        amara 20h: Marking the overstuffed one for your niece is the sweetest thing I have read this week.
        yuna 30h: 한 통 얻으러 갑니다. 빈손으로는 안 가요, 책 가져갈게요.
      `),
    },
  ],
};
