import { expect } from 'chai';
import { isPublicAddress } from '../../../src/platform/http/public-address.js';

describe('isPublicAddress', () => {
  it('is true for public addresses only', () => {
    for (const address of ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'])
      expect(isPublicAddress(address), address).to.equal(true);
    const special = ['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.53', '169.254.169.254', '172.16.0.1', '192.168.1.1'];
    const others = ['198.18.0.1', '224.0.0.1', '255.255.255.255', 'example.org', ''];
    const ipv6 = [
      '::',
      '::1',
      '::ffff:8.8.8.8',
      '64:ff9b::808:808',
      'fe80::1',
      'fc00::1',
      'ff02::1',
      '2002:7f00:1::',
      '2001:db8::1',
    ];
    for (const address of [...special, ...others, ...ipv6]) expect(isPublicAddress(address), address).to.equal(false);
  });
});
