// SPDX-License-Identifier: Apache-2.0
// The emulated phone: tap now, lock, choose a pass, leave the field, be slow.

import { APIError, get, post } from './api.js';
import { byId, fill, h } from './dom.js';
import { t } from './i18n.js';
import { shortPass } from './tap-list.js';

/** The panel; `tapped` gets the id of each tap made here. */
export class PhonePanel {
  constructor(tapped) {
    this.tapped = tapped;
    this.phone = null;
    this.said = h('p.note', { role: 'status', id: 'phone-said' });
  }

  /** Fetches the phone's state and shows it. */
  async show() {
    try {
      this.phone = await get('/v1/wallet');
    } catch (error) {
      if (!(error instanceof APIError) || ![404, 409].includes(error.status)) throw error;
      this.phone = null;
    }
    this.draw();
  }

  draw() {
    const { phone } = this;
    if (!phone) {
      fill(byId('phone'), h('p.note', {}, t('phone.none')));
      return;
    }
    const focused = byId('phone').contains(document.activeElement) ? document.activeElement.id : '';
    fill(byId('phone'),
      h('button.primary.tap', { type: 'button', id: 'tap-now', onclick: () => this.tap() }, t('phone.tap')),
      h('label.check', {}, h('input', { type: 'checkbox', id: 'phone-locked', checked: phone.locked, onchange: (event) => this.change({ locked: event.target.checked }) }), ' ', t('phone.locked')),
      this.passes(),
      this.number('leavesFieldAt', phone.leavesFieldAt, 1, 99),
      this.number('answerDelayMs', phone.answerDelayMs || null, 0, 600_000),
      this.said);
    if (focused) byId(focused)?.focus();
  }

  passes() {
    const { phone } = this;
    const passes = phone.passes ?? [];
    const chosen = phone.chosen ?? phone.chosenPass ?? '';
    return h('label.field', {}, h('span', {}, t('phone.pass')),
      h('select', { id: 'phone-pass', onchange: (event) => this.change({ chosen: event.target.value || null }) },
        h('option', { value: '' }, t('phone.anyPass', { count: passes.length })),
        passes.map((pass) => {
          const value = pass.serialNumber || pass.passTypeIdentifier;
          const label = [shortPass(pass.passTypeIdentifier), pass.serialNumber].filter(Boolean).join(' · ');
          return h('option', { value, selected: chosen === value || chosen === pass.passTypeIdentifier }, label);
        })));
  }

  number(key, value, min, max) {
    return h('label.field', {}, h('span', {}, t(`phone.${key}`)),
      h('input', {
        type: 'number', id: `phone-${key}`, min, max, value: value ?? '', placeholder: t(`phone.${key}.none`),
        onchange: (event) => event.target.reportValidity() && this.change({ [key]: event.target.value === '' ? null : Number(event.target.value) }),
      }));
  }

  async change(part) {
    try {
      const phone = await post('/v1/wallet', part, 'PATCH');
      if (phone) this.phone = phone;
      fill(this.said, t('phone.changed'));
    } catch (error) {
      fill(this.said, error.message);
    }
    await this.show().catch(() => {});
  }

  /** Taps once; the answer comes when the event is safe, or says why there was none. */
  async tap() {
    const button = byId('tap-now');
    button.setAttribute('aria-busy', 'true');
    fill(this.said, t('phone.tapping'));
    try {
      const tap = await post('/v1/wallet/tap');
      fill(this.said, t('phone.tapped'));
      this.tapped(tap?.id);
    } catch (error) {
      fill(this.said, error.status === 409 ? h('span', { lang: 'en' }, error.message) : error.status === 0 ? t('live.away') : error.message);
    }
    byId('tap-now')?.removeAttribute('aria-busy');
  }
}
