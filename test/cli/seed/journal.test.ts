/** The data of the sample journal: valid for every input of the API, and in chronological order. */
import { expect } from 'chai';
import { findInvalidAs } from '../../../src/schema/constraints.js';
import '../../../src/graphql/schema.js';
import { AUTHORS, emailOf, timelineOf } from '../../../src/cli/seed/entry.js';

const ARTICLES = AUTHORS.flatMap(({ articles }) => articles);
const HANGUL = /\p{Script=Hangul}/u;

describe('The sample journal', () => {
  it('has ten members and forty-five public articles of several paragraphs, half of them in Korean, and five translations', () => {
    expect(AUTHORS).to.have.length(10);
    expect(ARTICLES.filter(({ isPrivate }) => !isPrivate)).to.have.length(45);
    const korean = ARTICLES.filter(({ content }) => (content.match(/\p{Script=Hangul}/gu) ?? []).length > 100);
    expect(korean.length).to.be.within(20, 24);
    for (const { title, language } of ARTICLES) expect(language === 'ko', title).to.equal(HANGUL.test(title));
    const translations = AUTHORS.flatMap(({ articles }) =>
      articles.flatMap(({ language, translates }) =>
        articles.filter(({ title }) => title === translates).map((original) => [original.language, language]),
      ),
    );
    expect(translations).to.deep.equal([
      ['ko', 'en'],
      ['ko', 'en'],
      ['en', 'ko'],
      ['en', 'sv'],
      ['en', 'ar'],
    ]);
    expect(ARTICLES.filter(({ translates }) => translates !== null)).to.have.length(5);
    for (const { title, content } of ARTICLES) expect(content.split('\n\n').length, title).to.be.at.least(3);
  });

  it('contains no duplicates', () => {
    const comments = ARTICLES.flatMap((article) => article.comments.flatMap((one) => [one, ...one.replies]));
    const texts = [
      ...ARTICLES.flatMap(({ title, content }) => [title, content]),
      ...comments.map(({ content }) => content),
    ];
    expect(new Set(texts).size).to.equal(texts.length);
    expect(comments.some(({ content }) => HANGUL.test(content))).to.equal(true);
  });

  it('satisfies the validation rules of every input', () => {
    const wrong = AUTHORS.flatMap(
      ({ member: { key, memberName, nickname, bio, categories, series }, articles, drafts }) => [
        ...findInvalidAs('RegisterInput', { email: emailOf(key), memberName, nickname }),
        ...findInvalidAs('UpdateMemberInput', { bio }),
        ...categories.flatMap((name) => findInvalidAs('CreateCategoryArgs', { name })),
        ...(series ? findInvalidAs('SeriesInput', { ...series, articleIds: [] }) : []),
        ...drafts.flatMap(({ title, content, tags, category, language }) =>
          findInvalidAs('CreateArticleInput', { title, content, tags: [...tags], category, language }),
        ),
        ...articles.flatMap(({ title, content, tags, category, picture, language, description, comments }) => [
          ...findInvalidAs('CreateArticleInput', {
            title,
            content,
            tags: [...tags],
            category,
            articleImgAlt: picture?.alt,
            language,
            description,
          }),
          ...comments
            .flatMap((one) => [one, ...one.replies])
            .flatMap((one) => findInvalidAs('CreateCommentInput', { content: one.content })),
        ]),
      ],
    );
    expect(wrong).to.deep.equal([]);
    expect(findInvalidAs('CreateCommentInput', { content: '' })).to.have.length(1);
  });

  it('is in chronological order: comments after articles, replies after comments, all in the past', () => {
    const now = new Date('2026-11-21T00:00:30Z');
    const all = timelineOf(AUTHORS, now);
    const times = new Map<unknown, number>();
    for (const event of all) {
      const at = event.at.getTime();
      expect(at).to.be.below(now.getTime());
      if (event.kind === 'comment') {
        const { article, comment, parent = article } = event;
        expect(at, comment.content).to.be.above(times.get(parent) ?? Number.POSITIVE_INFINITY);
        times.set(comment, at);
      } else times.set(event.article, at);
    }
    expect(times.size).to.equal(all.length);
  });
});
