// SPDX-License-Identifier: Apache-2.0

// The files of the counter's pages inside the program. C has `#embed` for this (C23, 6.10.4), which costs the compiler
// nothing; a Swift array of as many bytes takes it a quarter of a minute. A file that is added to
// Sources/CounterServer/Pages needs its two places here: a test compares the folder with the table.

#include "CCounterPages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char assets_apdu_js[] = {
#embed "../CounterServer/Pages/assets/apdu.js"
};
static const unsigned char assets_api_js[] = {
#embed "../CounterServer/Pages/assets/api.js"
};
static const unsigned char assets_base_css[] = {
#embed "../CounterServer/Pages/assets/base.css"
};
static const unsigned char assets_bench_css[] = {
#embed "../CounterServer/Pages/assets/bench.css"
};
static const unsigned char assets_bench_js[] = {
#embed "../CounterServer/Pages/assets/bench.js"
};
static const unsigned char assets_byte_view_js[] = {
#embed "../CounterServer/Pages/assets/byte-view.js"
};
static const unsigned char assets_bytes_css[] = {
#embed "../CounterServer/Pages/assets/bytes.css"
};
static const unsigned char assets_compare_js[] = {
#embed "../CounterServer/Pages/assets/compare.js"
};
static const unsigned char assets_counter_css[] = {
#embed "../CounterServer/Pages/assets/counter.css"
};
static const unsigned char assets_counter_js[] = {
#embed "../CounterServer/Pages/assets/counter.js"
};
static const unsigned char assets_decode_js[] = {
#embed "../CounterServer/Pages/assets/decode.js"
};
static const unsigned char assets_decoder_css[] = {
#embed "../CounterServer/Pages/assets/decoder.css"
};
static const unsigned char assets_decoder_js[] = {
#embed "../CounterServer/Pages/assets/decoder.js"
};
static const unsigned char assets_deliveries_js[] = {
#embed "../CounterServer/Pages/assets/deliveries.js"
};
static const unsigned char assets_detail_css[] = {
#embed "../CounterServer/Pages/assets/detail.css"
};
static const unsigned char assets_dictionary_js[] = {
#embed "../CounterServer/Pages/assets/dictionary.js"
};
static const unsigned char assets_dom_js[] = {
#embed "../CounterServer/Pages/assets/dom.js"
};
static const unsigned char assets_frame_js[] = {
#embed "../CounterServer/Pages/assets/frame.js"
};
static const unsigned char assets_hex_js[] = {
#embed "../CounterServer/Pages/assets/hex.js"
};
static const unsigned char assets_i18n_js[] = {
#embed "../CounterServer/Pages/assets/i18n.js"
};
static const unsigned char assets_icon_svg[] = {
#embed "../CounterServer/Pages/assets/icon.svg"
};
static const unsigned char assets_ladder_js[] = {
#embed "../CounterServer/Pages/assets/ladder.js"
};
static const unsigned char assets_panels_js[] = {
#embed "../CounterServer/Pages/assets/panels.js"
};
static const unsigned char assets_pcap_js[] = {
#embed "../CounterServer/Pages/assets/pcap.js"
};
static const unsigned char assets_phone_panel_js[] = {
#embed "../CounterServer/Pages/assets/phone-panel.js"
};
static const unsigned char assets_tap_detail_js[] = {
#embed "../CounterServer/Pages/assets/tap-detail.js"
};
static const unsigned char assets_tap_list_js[] = {
#embed "../CounterServer/Pages/assets/tap-list.js"
};
static const unsigned char assets_taps_js[] = {
#embed "../CounterServer/Pages/assets/taps.js"
};
static const unsigned char assets_texts_de_js[] = {
#embed "../CounterServer/Pages/assets/texts-de.js"
};
static const unsigned char assets_texts_en_js[] = {
#embed "../CounterServer/Pages/assets/texts-en.js"
};
static const unsigned char assets_tlv_js[] = {
#embed "../CounterServer/Pages/assets/tlv.js"
};
static const unsigned char assets_trace_file_js[] = {
#embed "../CounterServer/Pages/assets/trace-file.js"
};
static const unsigned char assets_values_js[] = {
#embed "../CounterServer/Pages/assets/values.js"
};
static const unsigned char counter_html[] = {
#embed "../CounterServer/Pages/counter.html"
};
static const unsigned char decoder_html[] = {
#embed "../CounterServer/Pages/decoder.html"
};
static const unsigned char index_html[] = {
#embed "../CounterServer/Pages/index.html"
};
static const unsigned char openapi_json[] = {
#embed "../CounterServer/Pages/openapi.json"
};

#define PAGE(path, bytes) {path, bytes, sizeof bytes}

static const struct countertop_page pages[] = {
    PAGE("assets/apdu.js", assets_apdu_js),
    PAGE("assets/api.js", assets_api_js),
    PAGE("assets/base.css", assets_base_css),
    PAGE("assets/bench.css", assets_bench_css),
    PAGE("assets/bench.js", assets_bench_js),
    PAGE("assets/byte-view.js", assets_byte_view_js),
    PAGE("assets/bytes.css", assets_bytes_css),
    PAGE("assets/compare.js", assets_compare_js),
    PAGE("assets/counter.css", assets_counter_css),
    PAGE("assets/counter.js", assets_counter_js),
    PAGE("assets/decode.js", assets_decode_js),
    PAGE("assets/decoder.css", assets_decoder_css),
    PAGE("assets/decoder.js", assets_decoder_js),
    PAGE("assets/deliveries.js", assets_deliveries_js),
    PAGE("assets/detail.css", assets_detail_css),
    PAGE("assets/dictionary.js", assets_dictionary_js),
    PAGE("assets/dom.js", assets_dom_js),
    PAGE("assets/frame.js", assets_frame_js),
    PAGE("assets/hex.js", assets_hex_js),
    PAGE("assets/i18n.js", assets_i18n_js),
    PAGE("assets/icon.svg", assets_icon_svg),
    PAGE("assets/ladder.js", assets_ladder_js),
    PAGE("assets/panels.js", assets_panels_js),
    PAGE("assets/pcap.js", assets_pcap_js),
    PAGE("assets/phone-panel.js", assets_phone_panel_js),
    PAGE("assets/tap-detail.js", assets_tap_detail_js),
    PAGE("assets/tap-list.js", assets_tap_list_js),
    PAGE("assets/taps.js", assets_taps_js),
    PAGE("assets/texts-de.js", assets_texts_de_js),
    PAGE("assets/texts-en.js", assets_texts_en_js),
    PAGE("assets/tlv.js", assets_tlv_js),
    PAGE("assets/trace-file.js", assets_trace_file_js),
    PAGE("assets/values.js", assets_values_js),
    PAGE("counter.html", counter_html),
    PAGE("decoder.html", decoder_html),
    PAGE("index.html", index_html),
    PAGE("openapi.json", openapi_json),
};

const struct countertop_page *const countertop_pages = pages;
const size_t countertop_page_count = sizeof pages / sizeof pages[0];
