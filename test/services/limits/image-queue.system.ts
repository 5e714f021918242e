/** The queue for images: one client that fills its share does not keep the others from being served. */
import { expect } from 'chai';
import { useApp } from '../../support/app.js';
import { type BuiltMember, buildMember } from '../../support/build.js';
import { call, type RestResponse } from '../../support/client.js';
import { flat, noise } from '../../support/images.js';
import { until } from '../../support/until.js';

describe('The queue for images', function () {
  this.timeout(60_000);
  const app = useApp();

  function upload(member: BuiltMember, image: Buffer): Promise<RestResponse> {
    const form = new FormData();
    form.append('request', JSON.stringify({ title: 'An image', content: 'An image' }));
    form.append('file', new Blob([new Uint8Array(image)]), 'image');
    return call(app.url, 'POST /api/articles', { token: member.token, body: form });
  }

  for (const members of [1, 2]) {
    it(`processes small images of one member while ${members === 1 ? 'another member sends' : 'two others send'} large images all the time`, async () => {
      const other = await buildMember(app.url);
      const large = await flat(6_000, 6_000).png().toBuffer();
      const small = await noise(200, 200).jpeg().toBuffer();
      let finished = 0;
      let isOver = false;
      const send = async (greedy: BuiltMember) => {
        while (!isOver) if ((await upload(greedy, large)).status === 201) finished++;
      };
      const greedy = await Promise.all(Array.from({ length: members }, () => buildMember(app.url)));
      const attack = greedy.flatMap((member) => Array.from({ length: 3 }, () => send(member)));
      await until(() => finished > 0);
      const during: number[] = [];
      for (let count = 0; count < 3; count++) {
        const before = finished;
        expect((await upload(other, small)).status).to.equal(201);
        during.push(finished - before);
      }
      isOver = true;
      await Promise.all(attack);
      expect(Math.max(...during), 'large images that were finished while a small one waited').to.be.at.most(1);
    });
  }

  it('processes a JPEG of one member before most of 24 AVIF images that another member sent earlier', async () => {
    const [greedy, other] = [await buildMember(app.url), await buildMember(app.url)];
    const avif = await noise(1000, 1000).avif({ effort: 0 }).toBuffer();
    const jpeg = await noise(200, 200).jpeg().toBuffer();
    const order: string[] = [];
    const attack = Array.from({ length: 24 }, async () => {
      const response = await upload(greedy, avif);
      if (response.status === 201) order.push('AVIF');
      return response;
    });
    // By the first response, the other uploads are in the queue or on their way.
    await Promise.any(attack);
    const { status } = await upload(other, jpeg);
    order.push('JPEG');
    expect(status).to.equal(201);
    const responses = await Promise.all(attack);
    expect(order.indexOf('JPEG')).to.be.below(5);
    expect(order.length).to.be.above(5);
    const rejected = responses.filter((response) => response.status !== 201);
    for (const { body, headers } of rejected) {
      expect(body?.code).to.equal('RATE_LIMITED');
      expect(Number(headers.get('Retry-After'))).to.be.above(0);
    }
  });
});
