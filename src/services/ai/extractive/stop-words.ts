/** Stop words (function words without topical meaning) in English and in Korean. */

const ENGLISH = `
a about above after again against all also although always am among an and another any are aren't around as at away
back be became because become been before began being below between both but by came can can't cannot come could
couldn't did didn't do does doesn't doing don't done down during each either else enough even ever every few first for
from further gave get gets getting give given go goes going gone got had hadn't has hasn't have haven't having he her
here hers herself him himself his how however if in into is isn't it it's its itself just keep kept know last least less
let like little long look made make makes many may maybe me might more most much must my myself near need never new next
no nor not nothing now of off often on once one only or other others our ours ourselves out over own part perhaps put
quite rather really said same saw say says see seem seemed seems seen several shall she should shouldn't since so some
something sometimes still such take taken tell than that that's the their theirs them themselves then there these they
thing things think this those though three through thus to together told too took toward two under until up upon us use
used using very want was wasn't way we well went were weren't what when where whether which while who whole whom whose
why will with within without won't would wouldn't yet you your yours yourself`;

const KOREAN = `
만들어 만든 만드는 가장 각각 갑자기 같은 같이 거기 거의 것은 것을 것이 것이다 것입니다 것으로 결국 계속 그가 그것 그것은 그것을 그것이 그날 그녀 그는
그는 그때 그래도 그래서 그러나 그러니 그러면 그러므로 그런 그런데 그럼 그렇게 그렇지만 그리고 그저 그후 나는 나를 나의 내가 너무 너희
누가 누구 누구나 다른 다만 다시 당신 대로 대부분 대체로 대하여 대한 대해 대해서 더욱 덕분에 동안 드디어 따라 따라서 때는 때로 때문
때문에 때문이다 또는 또한 마치 마침내 많은 많이 매우 먼저 모두 모든 무슨 무엇 무엇을 무엇이 물론 바로 반드시 벌써 보통 비록 사실 새로
새로운 서로 수가 수는 수도 스스로 아니 아니라 아무 아주 아직 않고 않는 않는다 않다 않아 않았다 않은 않을 약간 어느 어디 어떤 어떻게
어쩌면 언제 언제나 얼마나 없고 없는 없다 없었다 없이 여기 여러 여러분 역시 예를 오늘 오직 오히려 올해 왜냐하면 우리 우리는 우리가 우리의
위하여 위한 위해 위해서 이것 이것은 이것을 이것이 이곳 이는 이다 이라 이러한 이런 이렇게 이를 이미 이번 이에 이와 이제 이후 있게 있고
있는 있다 있다는 있도록 있습니다 있었고 있었다 있었습니다 있으며 있을 있지만 자기 자신 자신의 자주 잘못 저기 저는 저의 저희 전혀 정도 정말
제가 조금 좀더 중에 중에서 즉시 지금 진짜 참고 처음 통하여 통한 통해 통해서 특히 하게 하고 하기 하나 하는 하는데 하며 하면 하면서 하지
하지만 하지만은 한다 한번 할수 함께 합니다 해도 해서 했고 했는데 했다 했습니다 했지만 혹은 혹시 훨씬 되고 되는 되다 되며 되면 되어 된다
된다는 됐다 됩니다 되었다 되었습니다 가지 경우 그동안 그중 어제 내일 매일 관련 관한 관해 의해 의한 라고 라는 이라고 이라는`;

const WORDS = new Set(`${ENGLISH} ${KOREAN}`.split(/\s+/).filter(Boolean));

/** Endings of Korean verbs and adjectives, mostly of those formed from nouns with 하다 and 되다. */
const VERB_ENDING =
  /(?:습니다|ㅂ니다|입니다|합니다|됩니다|하였다|하겠다|했던|했고|했다|했으며|했지만|하는|하는데|하고|하며|하면|하면서|하여|해서|해야|하게|하기|하지|하자|하던|한다|한다면|하도록|되는|되고|되며|되면|되어|돼서|된다|됐다|되었다|되었고|되지|되던|시킨|시켜|이었다|였다|았다|었다|겠다|는다|네요|어요|아요|해요|예요|이에요|지요|군요|거든요|적인|스러운|스럽게|로운|롭게|지만|는데|면서|도록|려고|으며|으면|으니|어서|아서|았던|었던|았고|었고)$/;

export function isFunctionWord(word: string): boolean {
  return WORDS.has(word) || (word.length >= 3 && VERB_ENDING.test(word));
}
