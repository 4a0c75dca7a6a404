// SPDX-License-Identifier: Apache-2.0
// The emulated phone: tap now, lock, choose a pass, leave the field, be slow.

import { APIError, get, post } from './api.js';
import { byId, fill, h } from './dom.js';
import { maybe, t } from './i18n.js';
import { shortPass } from './tap-list.js';

/** The panel. Its controls stay while only their values change, so that nobody loses what is being typed. */
export class PhonePanel {
  constructor() {
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
    this.update();
  }

  /** Shows new values; builds the controls anew when there are other passes. */
  update() {
    const passes = JSON.stringify(this.phone?.passes ?? null);
    if (passes !== this.passes) this.draw();
    else if (this.phone) this.setValues();
    this.passes = passes;
  }

  draw() {
    if (!this.phone) {
      fill(byId('phone'), h('p.note', {}, t('phone.none')));
      return;
    }
    fill(byId('phone'),
      h('button.primary.tap', { type: 'button', id: 'tap-now', onclick: () => this.tap() }, t('phone.tap')),
      h('label.check', {}, h('input', { type: 'checkbox', id: 'phone-locked', onchange: (event) => this.change({ locked: event.target.checked }) }), ' ', t('phone.locked')),
      this.passChoice(), this.number('leavesFieldAt', 1, 99), this.number('answerDelayMs', 0, 2_000), this.said);
    this.setValues();
  }

  passChoice() {
    const passes = (this.phone.passes ?? []).filter((pass) => pass.readable !== false);
    return h('label.field', {}, h('span', {}, t('phone.pass')),
      h('select', { id: 'phone-pass', onchange: (event) => this.change({ chosen: event.target.value || null }) },
        h('option', { value: '' }, t('phone.anyPass', { count: passes.length })),
        passes.map((pass) => h('option', { value: pass.serialNumber || pass.passTypeIdentifier },
          [shortPass(pass.passTypeIdentifier), pass.serialNumber].filter(Boolean).join(' · ')))));
  }

  number(key, min, max) {
    return h('label.field', {}, h('span', {}, t(`phone.${key}`)),
      h('input', {
        type: 'number', id: `phone-${key}`, min, max, placeholder: t(`phone.${key}.none`),
        onchange: (event) => event.target.reportValidity() && this.change({ [key]: event.target.value === '' ? null : Number(event.target.value) }),
      }));
  }

  setValues() {
    const { phone } = this;
    const isChosen = (pass) => [pass.serialNumber, pass.passTypeIdentifier].includes(phone.chosen);
    const chosen = phone.chosen ? (phone.passes ?? []).find(isChosen) : null;
    byId('phone-locked').checked = phone.locked;
    byId('phone-pass').value = chosen ? chosen.serialNumber || chosen.passTypeIdentifier : '';
    for (const [key, value] of [['leavesFieldAt', phone.leavesFieldAt], ['answerDelayMs', phone.answerDelayMs || null]]) {
      const field = byId(`phone-${key}`);
      if (field !== document.activeElement) field.value = value ?? '';
    }
  }

  async change(part) {
    try {
      this.phone = await post('/v1/wallet', part, 'PATCH');
      fill(this.said, t('phone.changed'));
      this.update();
    } catch (error) {
      fill(this.said, error.message);
      await this.show().catch(() => {});
    }
  }

  /** Taps once; the answer comes when the event is safe, or says why there was none. */
  async tap() {
    const button = byId('tap-now');
    button.setAttribute('aria-busy', 'true');
    fill(this.said, t('phone.tapping'));
    try {
      await post('/v1/wallet/tap');
      fill(this.said, t('phone.tapped'));
    } catch (error) {
      const reason = maybe(`why.${error.problem?.code}`);
      fill(this.said, error.status === 0 ? t('live.away') : reason ?? h('span', { lang: 'en' }, error.message));
    }
    button.removeAttribute('aria-busy');
  }
}
