// The emoji that bots and people in incident channels use. Others stay as they were written.

const table = `
+1:👍 -1:👎 thumbsup:👍 thumbsdown:👎 ok_hand:👌 wave:👋 clap:👏 pray:🙏 muscle:💪 point_right:👉 point_left:👈 raised_hands:🙌
eyes:👀 white_check_mark:✅ heavy_check_mark:✔️ ballot_box_with_check:☑️ x:❌ negative_squared_cross_mark:❎ no_entry:⛔ no_entry_sign:🚫
octagonal_sign:🛑 warning:⚠️ rotating_light:🚨 exclamation:❗ heavy_exclamation_mark:❗ question:❓ grey_question:❔ information_source:ℹ️
bulb:💡 fire:🔥 boom:💥 zap:⚡ bug:🐛 wrench:🔧 hammer:🔨 hammer_and_wrench:🛠️ gear:⚙️ nut_and_bolt:🔩 link:🔗 lock:🔒 unlock:🔓 key:🔑
mag:🔍 mag_right:🔎 hourglass:⌛ hourglass_flowing_sand:⏳ stopwatch:⏱️ clock1:🕐 alarm_clock:⏰ calendar:📆 date:📅
large_green_circle:🟢 large_yellow_circle:🟡 large_orange_circle:🟠 red_circle:🔴 large_blue_circle:🔵 white_circle:⚪ black_circle:⚫
large_green_square:🟩 large_yellow_square:🟨 large_red_square:🟥 small_blue_diamond:🔹 small_orange_diamond:🔸
arrow_right:➡️ arrow_left:⬅️ arrow_up:⬆️ arrow_down:⬇️ arrows_counterclockwise:🔄 repeat:🔁 rewind:⏪ fast_forward:⏩ back:🔙
double_vertical_bar:⏸️ pause_button:⏸️ arrow_forward:▶️ black_square_for_stop:⏹️ stop_button:⏹️ construction:🚧 package:📦 ship:🚢
rocket:🚀 tada:🎉 sparkles:✨ star:⭐ trophy:🏆 checkered_flag:🏁 triangular_flag_on_post:🚩 anchor:⚓ wheel_of_dharma:☸️ cloud:☁️
robot_face:🤖 ghost:👻 skull:💀 thinking_face:🤔 sweat_smile:😅 smile:😄 slightly_smiling_face:🙂 joy:😂 cry:😢 sob:😭 scream:😱
heart:❤️ green_heart:💚 broken_heart:💔 100:💯 memo:📝 clipboard:📋 page_facing_up:📄 bar_chart:📊 chart_with_upwards_trend:📈
chart_with_downwards_trend:📉 speech_balloon:💬 bell:🔔 no_bell:🔕 mega:📣 loudspeaker:📢 inbox_tray:📥 outbox_tray:📤 file_folder:📁
floppy_disk:💾 computer:💻 globe_with_meridians:🌐 satellite:🛰️ satellite_antenna:📡 shield:🛡️ ambulance:🚑 fire_engine:🚒 coffee:☕
zzz:💤 snail:🐌 turtle:🐢 recycle:♻️ wastebasket:🗑️ scissors:✂️ pushpin:📌 round_pushpin:📍 thread:🧵 bookmark:🔖 crossed_fingers:🤞
one:1️⃣ two:2️⃣ three:3️⃣ new:🆕 ok:🆗 sos:🆘 vs:🆚 heavy_plus_sign:➕ heavy_minus_sign:➖ white_small_square:▫️ black_small_square:▪️
`;

const emoji = new Map(table.trim().split(/\s+/).map((pair) => {
  const at = pair.indexOf(':');
  return [pair.slice(0, at), pair.slice(at + 1)];
}));

// emojiOf returns the character for a short name, or null.
export const emojiOf = (name) => emoji.get(name.replace(/::skin-tone-\d$/, '')) ?? null;
