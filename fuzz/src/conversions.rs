// SPDX-License-Identifier: MIT OR Apache-2.0

//! What holds of every conversion, whatever is converted.

use super::{assert_json, header, objects, parsed};
use plica::check::check;
use plica::convert::file::convert_file;
use plica::convert::{convert, Loss};
use plica::formats::Format;

pub fn hold(data: &[u8]) {
    let Some((numbers, text)) = header(data, 2) else { return };
    let format = |number: usize| Format::ALL[number % Format::ALL.len()];
    let (from, to) = (format(numbers[0]), format(numbers[1]));
    lists(&objects(text), from, to);
    files(text, to);
}

fn lists(messages: &[&[u8]], from: Format, to: Format) {
    let converted = convert(messages, from, to).expect("objects can be converted");
    converted.messages.iter().for_each(|message| assert_json(message.as_bytes()));
    name_messages(&converted.losses, messages.len());
    if from == to {
        let same = converted.messages.iter().map(String::as_bytes).eq(messages.iter().copied());
        return assert!(same && converted.losses.is_empty(), "a conversion to the same format changes something");
    }
    check(&converted.messages, to).expect("converted messages can be checked");
    let back = convert(&converted.messages, to, from).expect("converted messages can be converted");
    back.messages.iter().for_each(|message| assert_json(message.as_bytes()));
    let again = convert(messages, from, to).expect("the same again");
    assert_eq!(again, converted, "not the same the second time");
}

fn files(text: &[u8], to: Format) {
    let Ok(file) = convert_file(text, to) else { return };
    assert_json(file.conversation.as_bytes());
    let count = file.report.messages_after as usize;
    assert!(parsed(file.conversation.as_bytes(), |list| list.items().count() == count));
    name_messages(&file.report.losses, file.report.messages_before as usize);
}

fn name_messages(losses: &[Loss], count: usize) {
    assert!(losses.iter().all(|loss| (loss.index as usize) < count && !loss.message.is_empty()), "{losses:?}");
}
